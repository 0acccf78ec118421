import { CircleDollarSign } from 'lucide-react'
import type { ApprovalOption } from '../../../shared/model/approval/approval'
import { Button } from '../../ui/button'
import { ErrorNote } from '../../ui/notice'
import type { ApprovalCardProps } from './approval-card'
import { CardHead } from './card-head'
import { optionKeys, useAnswerGrace, useCardKeys } from './card-actions'
import { useReply } from './use-reply'

/** Spending limit reached: asks whether to continue. */
export function BudgetCard(props: ApprovalCardProps) {
  const { approval, behind = 0, place = '', blocked } = props
  const { options, summary, reason } = approval
  const grace = useAnswerGrace(place)
  const { card, sent, failure, send } = useReply(props)
  const locked = sent || blocked !== undefined
  const keys = optionKeys(options)
  const act = (option: ApprovalOption | undefined): void => {
    if (option && !locked && grace.isArmed) send({ optionId: option.optionId })
  }
  useCardKeys([...keys.values()], !locked, grace.since, (key) =>
    act(options.find(({ optionId }) => keys.get(optionId) === key)),
  )
  return (
    <div ref={card} role="group" aria-label="Spending limit" className="approval">
      <CardHead behind={behind}>
        <b>Spending limit</b>
      </CardHead>
      <div className="approval-body">
        <div className="approval-command">
          <p className="flex items-start gap-2 text-ui text-ink">
            <CircleDollarSign aria-hidden className="mt-[2px] size-[15px] flex-none text-wait" />
            <span className="min-w-0 wrap-anywhere">{summary}</span>
          </p>
          <p className="text-small text-ink-2">{reason}</p>
        </div>
        {failure && <ErrorNote failure={failure} className="m-3" />}
      </div>
      <div className="approval-acts">
        {options.map((option) => {
          const key = keys.get(option.optionId)
          return (
            <Button
              key={option.optionId}
              variant={option.kind === 'reject_once' ? 'quiet' : 'primary'}
              {...(key !== undefined && { kbd: key })}
              disabled={locked}
              aria-disabled={!grace.isArmed || undefined}
              onClick={() => act(option)}
            >
              {option.name}
            </Button>
          )
        })}
        {blocked !== undefined && <span className="text-small text-ink-3">{blocked}</span>}
      </div>
    </div>
  )
}
