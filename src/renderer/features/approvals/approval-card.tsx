import { useEffect, useId, useRef, useState } from 'react'
import type { Approval, ApprovalOption } from '../../../shared/model/approval'
import { failureFrom } from '../../client/failure-from'
import type { Failure } from '../../../shared/model/errors'
import { Button } from '../../ui/button'
import { Dot } from '../../ui/dot'
import { ErrorNote } from '../../ui/error-note'
import { GRACE_MS } from './answer-grace'
import { PreviewView } from './preview-view'
import { RejectForm } from './reject-form'
import { useCardKeys } from './use-card-keys'

export interface ApprovalCardProps {
  approval: Approval
  /** How many more wait behind this one. */
  behind: number
  /** Rejects when it could not be told. */
  onReply: (approvalId: string, optionId: string, feedback?: string) => Promise<void>
  /** The answer was given from within the card, which is about to go: the focus needs another place. */
  onAnswered: () => void
}

/** A question: may this call run? Answered by a button or its number; rejecting offers to say why. */
export function ApprovalCard({ approval, behind, onReply, onAnswered }: ApprovalCardProps) {
  const { approvalId, tool, summary, reason, preview, options } = approval
  const [state, setState] = useState<'open' | 'rejecting' | 'sent'>('open')
  const [why, setWhy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const isArmed = useArmed()
  const card = useRef<HTMLDivElement>(null)
  const rejectButton = useRef<HTMLButtonElement>(null)
  const whyId = useId()
  const reject = options.find((option) => option.kind === 'reject_once')

  const send = async (option: ApprovalOption, feedback?: string): Promise<void> => {
    const focused = card.current?.contains(document.activeElement) ?? false
    setState('sent')
    setFailure(undefined)
    try {
      await onReply(approvalId, option.optionId, feedback)
      if (focused) onAnswered()
    } catch (error) {
      const failed = failureFrom(error)
      // Answered elsewhere in the meantime: the card goes by itself.
      if (failed.code === 'approval.gone') return
      setFailure(failed)
      setState('open')
    }
  }
  const choose = (option: ApprovalOption | undefined): void => {
    if (!option || state === 'sent') return
    if (option.kind === 'reject_once') setState('rejecting')
    else void send(option)
  }
  useCardKeys(options.length, state === 'open', (index) => choose(options[index]))

  return (
    <div ref={card} role="group" aria-label={`Approval needed: ${tool} ${summary}`} className="approval">
      <div className="approval-head">
        <Dot status="waiting" silent />
        <b>{tool}</b>
        <span className="approval-summary" title={summary}>
          {summary}
        </span>
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
      </div>
      {preview && <PreviewView preview={preview} />}
      {why && (
        <p id={whyId} className="approval-why">
          {reason}
        </p>
      )}
      {failure && <ErrorNote failure={failure} className="m-3" />}
      {state === 'rejecting' && reject ? (
        <RejectForm
          onSend={(feedback) => void send(reject, feedback)}
          onBack={() => {
            setState('open')
            requestAnimationFrame(() => rejectButton.current?.focus())
          }}
        />
      ) : (
        <div className="approval-acts">
          {options.map((option, index) => (
            <Button
              key={option.optionId}
              ref={option.kind === 'reject_once' ? rejectButton : undefined}
              variant={option.kind === 'allow_once' ? 'primary' : option.kind === 'allow_always' ? 'default' : 'quiet'}
              {...(index < 9 && { kbd: String(index + 1) })}
              disabled={state === 'sent'}
              className="max-w-full"
              // A card that comes up under the pointer takes no click that was meant for what was there before.
              aria-disabled={!isArmed || undefined}
              onClick={() => isArmed && choose(option)}
            >
              <span className="truncate">{option.kind === 'reject_once' ? 'Reject with a reason' : option.name}</span>
            </Button>
          ))}
          <Button
            variant="quiet"
            size="small"
            className="ml-auto"
            aria-expanded={why}
            aria-controls={why ? whyId : undefined}
            onClick={() => setWhy(!why)}
          >
            Why am I asked?
          </Button>
        </div>
      )}
    </div>
  )
}

/** False for a moment after the card has come up. */
function useArmed(): boolean {
  const [isArmed, setArmed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), GRACE_MS)
    return () => clearTimeout(timer)
  }, [])
  return isArmed
}
