import { ShieldAlert } from 'lucide-react'
import type { ApprovalOption } from '../../../shared/model/approval/approval'
import type { Preview } from '../../../shared/model/approval/preview'
import { describeDenial, describeSandbox } from '../../../shared/model/task/sandbox'
import { sandboxDescription } from '../../../shared/configuration/sandbox-text'
import { Button, type ButtonVariant } from '../../ui/button'
import { VisibleTokens } from '../../ui/content/visible-tokens'
import { ErrorNote } from '../../ui/notice'
import type { ApprovalCardProps } from './approval-card'
import { CardHead } from './card-head'
import { optionKeys, useCardKeys, useAnswerGrace } from './card-actions'
import { useReply } from './use-reply'

interface SandboxCardProps extends ApprovalCardProps {
  denial: Extract<Preview, { kind: 'sandbox' }>
}

/** The sandbox blocked part of a command: asks whether to allow it. Leaving the sandbox has no key. */
export function SandboxCard(props: SandboxCardProps) {
  const { denial, approval, behind = 0, place = '', blocked } = props
  const { command, sandbox, denied, output } = denial
  const grace = useAnswerGrace(place)
  const { card, sent, failure, send } = useReply(props)
  const locked = sent || blocked !== undefined
  const { options } = approval
  const keys = optionKeys(options)
  const act = (option: ApprovalOption | undefined): void => {
    if (option && !locked && grace.isArmed) send({ optionId: option.optionId })
  }
  useCardKeys([...keys.values()], !locked, grace.since, (key) =>
    act(options.find(({ optionId }) => keys.get(optionId) === key)),
  )

  return (
    <div ref={card} role="group" aria-label={`Blocked by the sandbox: ${command}`} className="approval">
      <CardHead behind={behind}>
        <b>Blocked by the sandbox</b>
        <span className="min-w-0 flex-1" />
        <span className="flex-none text-tiny text-wait-ink" title={sandboxDescription(sandbox)}>
          {describeSandbox(sandbox)}
        </span>
      </CardHead>
      <div className="approval-body">
        <div className="approval-command">
          <p className="flex items-start gap-2 text-ui text-ink">
            <ShieldAlert aria-hidden className="mt-[2px] size-[15px] flex-none text-wait" />
            <span className="min-w-0 wrap-anywhere">
              <VisibleTokens text={describeDenial(denied, sandbox)} />
            </span>
          </p>
          <pre tabIndex={0} aria-label="Command">
            <VisibleTokens text={command} />
          </pre>
          {output !== '' && (
            <>
              <p>End of the output</p>
              <pre tabIndex={0} aria-label="End of the output" className="max-h-[132px]!">
                <VisibleTokens text={output} />
              </pre>
            </>
          )}
        </div>
        {failure && <ErrorNote failure={failure} className="m-3" />}
      </div>
      <div className="approval-acts">
        {options.map((option, index) => {
          const key = keys.get(option.optionId)
          return (
            <Button
              key={option.optionId}
              variant={variantOf(option, index)}
              {...(key !== undefined && { kbd: key })}
              disabled={locked}
              aria-disabled={!grace.isArmed || undefined}
              className="max-w-full"
              onClick={() => act(option)}
            >
              <span className="truncate">{option.name}</span>
            </Button>
          )
        })}
        {blocked !== undefined && <span className="text-small text-ink-3">{blocked}</span>}
      </div>
    </div>
  )
}

function variantOf({ kind, sandbox }: ApprovalOption, index: number): ButtonVariant {
  if (sandbox === 'unrestricted') return 'danger'
  if (kind === 'reject_once') return 'quiet'
  return index === 0 ? 'primary' : 'default'
}
