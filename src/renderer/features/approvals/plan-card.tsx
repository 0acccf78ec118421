import { ShieldCheck } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { ApprovalOption } from '../../../shared/model/approval'
import type { Preview } from '../../../shared/model/preview'
import { Button } from '../../ui/button'
import { DiffView } from '../../ui/content/diff-view'
import { ErrorNote } from '../../ui/error-note'
import type { ApprovalCardProps } from './approval-card'
import { CardHead } from './card-head'
import { optionKeys } from './option-keys'
import { PreviewEnd } from './preview-end'
import { ReviseForm } from './revise-form'
import { useCardKeys } from './use-card-keys'
import { useGrace } from './use-grace'
import { useReply } from './use-reply'

interface PlanCardProps extends ApprovalCardProps {
  plan: Extract<Preview, { kind: 'plan' }>
  renderMarkdown: (text: string) => ReactNode
}

/** A plan to be approved: rendered, or as what has changed since it was last shown. Answered by a button or its number. */
export function PlanCard(props: PlanCardProps) {
  const { approval, plan, behind = 0, place = '', blocked, renderMarkdown } = props
  const [step, setStep] = useState<'open' | 'revising'>('open')
  const [shown, setShown] = useState<'plan' | 'changes'>('plan')
  const [seen, setSeen] = useState(false)
  const grace = useGrace(place)
  const { card, sent, failure, send } = useReply(props)
  const { options } = approval
  const canAct = ({ kind }: ApprovalOption): boolean => kind === 'reject_once' || seen
  const act = (option: ApprovalOption): void => {
    const { optionId } = option
    if (step !== 'open' || sent || blocked !== undefined || !canAct(option)) return
    if (optionId === 'revise') setStep('revising')
    else send({ optionId })
  }
  const keys = optionKeys(options)
  useCardKeys([...keys.values()], step === 'open' && !sent && blocked === undefined, grace.since, (key) => {
    const option = options.find(({ optionId }) => keys.get(optionId) === key)
    if (option) act(option)
  })
  const back = (): void => {
    setStep('open')
    requestAnimationFrame(() => card.current?.querySelector<HTMLElement>('[data-action="revise"]')?.focus())
  }
  return (
    <div ref={card} role="group" aria-label={`Plan to review, revision ${plan.revision}`} className="approval">
      <CardHead behind={behind}>
        <b>Plan</b>
        <span className="plan-revision">v{plan.revision} · written by the agent</span>
        {plan.diff !== undefined && step === 'open' && (
          <span className="plan-views" role="group" aria-label="What is shown">
            {(['plan', 'changes'] as const).map((view) => (
              <button key={view} type="button" aria-pressed={shown === view} onClick={() => setShown(view)}>
                {view === 'plan' ? 'Plan' : 'Changes'}
              </button>
            ))}
          </span>
        )}
      </CardHead>
      {step === 'revising' ? (
        <ReviseForm text={plan.text} busy={sent} onSend={(reply) => send({ optionId: 'revise', ...reply })} onBack={back} />
      ) : (
        <>
          <div className="approval-body">
            {shown === 'changes' && plan.diff !== undefined ? (
              <DiffView diff={plan.diff} limit={80} />
            ) : (
              <div className="plan-text" role="group" aria-label="Plan" tabIndex={0}>
                {renderMarkdown(plan.text)}
                <PreviewEnd onSeen={() => setSeen(true)} />
              </div>
            )}
            {plan.alternatives.length > 0 && (
              <dl className="plan-ways" aria-label="Ways to go">
                {plan.alternatives.map(({ label, description }, index) => (
                  <div key={label}>
                    <dt>
                      {index + 1}. {label}
                    </dt>
                    <dd>{description}</dd>
                  </div>
                ))}
              </dl>
            )}
            <p className="plan-guarantee">
              <ShieldCheck aria-hidden /> Nothing but the plan can change until you approve it.
            </p>
          </div>
          <div className="approval-acts">
            {options.map((option) => (
              <Button
                key={option.optionId}
                data-action={option.optionId}
                variant={option.kind === 'allow_once' ? 'primary' : option.optionId === 'revise' ? 'default' : 'quiet'}
                {...(keys.has(option.optionId) && { kbd: keys.get(option.optionId)! })}
                disabled={sent || blocked !== undefined}
                className={canAct(option) ? 'max-w-full' : 'max-w-full opacity-50'}
                aria-disabled={!grace.isArmed || !canAct(option) || undefined}
                onClick={() => grace.isArmed && act(option)}
              >
                <span className="truncate">{option.optionId === 'revise' ? 'Request changes…' : option.name}</span>
              </Button>
            ))}
            {blocked !== undefined && <span className="text-small text-ink-3">{blocked}</span>}
            <span className={seen ? 'sr-only' : 'approval-hint'} role="status">
              {grace.isArmed && (seen ? 'You can answer now.' : 'Scroll to the end of the plan to approve it.')}
            </span>
          </div>
        </>
      )}
      {failure && <ErrorNote failure={failure} className="m-3" />}
    </div>
  )
}
