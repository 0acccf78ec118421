import { useId, useRef, useState } from 'react'
import type { Approval, ApprovalOption } from '../../../shared/model/approval'
import type { Failure } from '../../../shared/model/errors'
import { toolLabel } from '../../../shared/model/tool-label'
import { failureFrom } from '../../client/failure-from'
import { Button } from '../../ui/button'
import { Dot } from '../../ui/dot'
import { ErrorNote } from '../../ui/error-note'
import { AlwaysForm } from './always-form'
import type { ApprovalReply } from './approval-reply'
import { cardActions, type CardAction } from './card-actions'
import { PreviewView } from './preview-view'
import { RejectForm } from './reject-form'
import { useCardKeys } from './use-card-keys'
import { useGrace } from './use-grace'

export interface ApprovalCardProps {
  sessionId: string
  approval: Approval
  /** How many more wait behind this one. */
  behind?: number
  /** Changes when the card moves: it takes no answer for a moment then. */
  place?: string
  /** Why it cannot be answered now. */
  blocked?: string | undefined
  /** Rejects when it could not be told. */
  onReply: (approvalId: string, reply: ApprovalReply) => Promise<void>
  /** The answer was given from within the card, which is about to go: the focus needs another place. */
  onAnswered?: () => void
}

type Step = { kind: 'open' } | { kind: 'rejecting' } | { kind: 'sent' } | { kind: 'always'; scope: 'session' | 'user' }

/** A question: may this call run? Answered by a button or its number; "always" shows what it would cover, rejecting offers to say why. */
export function ApprovalCard({ sessionId, approval, behind = 0, place = '', blocked, onReply, onAnswered }: ApprovalCardProps) {
  const { approvalId, tool, summary, reason, preview, options } = approval
  const label = toolLabel(tool)
  const [step, setStep] = useState<Step>({ kind: 'open' })
  const [why, setWhy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const grace = useGrace(place)
  const card = useRef<HTMLDivElement>(null)
  const lastAction = useRef<string>(undefined)
  const whyId = useId()
  const actions = cardActions(options)
  const reject = options.find((option) => option.kind === 'reject_once')
  const always = options.find((option) => option.kind === 'allow_always')

  const send = async (option: ApprovalOption, more: Omit<ApprovalReply, 'optionId'> = {}): Promise<void> => {
    const focused = card.current?.contains(document.activeElement) ?? false
    setStep({ kind: 'sent' })
    setFailure(undefined)
    try {
      await onReply(approvalId, { optionId: option.optionId, ...more })
      if (focused) onAnswered?.()
    } catch (error) {
      const failed = failureFrom(error)
      // Answered elsewhere in the meantime: the card goes by itself.
      if (failed.code === 'approval.gone') return
      setFailure(failed)
      setStep({ kind: 'open' })
    }
  }
  const act = (action: CardAction | undefined): void => {
    if (!action || step.kind !== 'open' || blocked !== undefined) return
    lastAction.current = action.key
    if (action.kind === 'reject') setStep({ kind: 'rejecting' })
    else if (action.kind === 'always') setStep({ kind: 'always', scope: action.scope })
    else void send(action.option)
  }
  const goBack = (): void => {
    setStep({ kind: 'open' })
    requestAnimationFrame(() => card.current?.querySelector<HTMLElement>(`[data-action="${lastAction.current}"]`)?.focus())
  }
  useCardKeys(actions.length, step.kind === 'open' && blocked === undefined, grace.since, (index) => act(actions[index]))

  return (
    <div ref={card} role="group" aria-label={`Approval needed: ${label} ${summary}`} className="approval">
      <div className="approval-head">
        <Dot status="waiting" silent />
        <b title={tool}>{label}</b>
        {label !== tool && <span className="sr-only">({tool})</span>}
        {/* The arguments of a server's tool stand below. */}
        {preview?.kind === 'call' ? (
          <span className="min-w-0 flex-1 truncate text-ink-2">{preview.title}</span>
        ) : (
          <span className="approval-summary" title={summary}>
            {summary}
          </span>
        )}
        {preview?.kind === 'diff' && (
          <span className="approval-lines">
            <span className="text-add-ink">+{preview.added}</span> <span className="text-del-ink">−{preview.removed}</span>
          </span>
        )}
        {behind > 0 && (
          <span className="approval-behind">
            {behind} more {behind === 1 ? 'waits' : 'wait'}
          </span>
        )}
        <button
          type="button"
          className="approval-why-button"
          aria-expanded={why}
          aria-controls={why ? whyId : undefined}
          onClick={() => setWhy(!why)}
        >
          Why am I asked?
        </button>
      </div>
      {why && (
        <p id={whyId} className="approval-why">
          {reason}
        </p>
      )}
      {preview && <PreviewView preview={preview} />}
      {failure && <ErrorNote failure={failure} className="m-3" />}
      {step.kind === 'rejecting' && reject ? (
        <RejectForm onSend={(feedback) => void send(reject, feedback === undefined ? {} : { feedback })} onBack={goBack} />
      ) : step.kind === 'always' && always ? (
        <AlwaysForm
          sessionId={sessionId}
          approval={approval}
          scope={step.scope}
          onSend={(rule) => void send(always, { rule })}
          onBack={goBack}
        />
      ) : (
        <div className="approval-acts">
          {actions.map((action, index) => (
            <Button
              key={action.key}
              data-action={action.key}
              variant={action.kind === 'once' ? 'primary' : action.kind === 'always' ? 'default' : 'quiet'}
              {...(index < 9 && { kbd: String(index + 1) })}
              disabled={step.kind === 'sent' || blocked !== undefined}
              className="max-w-full"
              // A card that comes up or moves under the pointer takes no click that was meant for what was there before.
              aria-disabled={!grace.isArmed || undefined}
              onClick={() => grace.isArmed && act(action)}
            >
              <span className="truncate">{action.label}</span>
            </Button>
          ))}
          {blocked !== undefined && <span className="text-small text-ink-3">{blocked}</span>}
        </div>
      )}
    </div>
  )
}
