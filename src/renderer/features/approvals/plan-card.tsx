import { useState, type ReactNode, useEffect, useRef, type KeyboardEvent } from 'react'
import type { ApprovalOption } from '../../../shared/model/approval/approval'
import type { Preview } from '../../../shared/model/approval/preview'
import { Button } from '../../ui/button'
import { DiffView } from '../../ui/code/diff-view'
import { ErrorNote } from '../../ui/notice'
import type { ApprovalCardProps } from './approval-card'
import { CardHead } from './card-head'
import { useKeptInput } from './kept-input'
import { optionKeys, useCardKeys, useAnswerGrace } from './card-actions'
import { PreviewEnd } from './proposal/preview-view'
import { useReply } from './use-reply'
import type { PlanComment } from '../../../shared/model/turn/plan'
import { useEscape } from '../../state/page/escape'

interface PlanCardProps extends ApprovalCardProps {
  plan: Extract<Preview, { kind: 'plan' }>
  renderMarkdown: (text: string) => ReactNode
}

/** Whether a button is among the less prominent ones: those that reject. */
const isQuiet = ({ kind, optionId }: ApprovalOption): boolean => kind !== 'allow_once' && optionId !== 'revise'

/** A plan to approve: rendered, or as a diff against the last revision shown. Answered by a button or its number. */
export function PlanCard(props: PlanCardProps) {
  const { approval, plan, behind = 0, place = '', blocked, renderMarkdown } = props
  const [step, setStep] = useState<'open' | 'revising'>('open')
  const [shown, setShown] = useState<'plan' | 'changes'>('plan')
  const [seen, setSeen] = useState(false)
  const grace = useAnswerGrace(place)
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
  const button = (option: ApprovalOption): ReactNode => (
    <Button
      key={option.optionId}
      data-action={option.optionId}
      variant={option.kind === 'allow_once' ? 'primary' : isQuiet(option) ? 'quiet' : 'default'}
      {...(keys.has(option.optionId) && { kbd: keys.get(option.optionId)! })}
      disabled={sent || blocked !== undefined}
      className={canAct(option) ? 'max-w-full' : 'max-w-full opacity-50'}
      aria-disabled={!grace.isArmed || !canAct(option) || undefined}
      onClick={() => grace.isArmed && act(option)}
    >
      <span className="truncate">{option.optionId === 'revise' ? 'Request changes…' : option.name}</span>
    </Button>
  )
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
        <ReviseForm
          approvalId={approval.approvalId}
          text={plan.text}
          busy={sent}
          onSend={(reply) => send({ optionId: 'revise', ...reply })}
          onBack={back}
        />
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
              <dl className="plan-ways" aria-label="Options">
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
          </div>
          <div className="approval-acts">
            {options.filter((option) => !isQuiet(option)).map(button)}
            {/* They stay together where the line wraps. */}
            <div className="approval-more">{options.filter(isQuiet).map(button)}</div>
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

interface ReviseFormProps {
  approvalId: string
  text: string
  busy: boolean
  onSend: (reply: { feedback?: string; comments?: PlanComment[] }) => void
  onBack: () => void
}

const MAX_COMMENT_CHARS = 10_000

/**
 * Requested changes: as text, and as comments on lines of the plan. Arrow keys move over the lines, Enter comments on
 * one.
 */
function ReviseForm({ approvalId, text, busy, onSend, onBack }: ReviseFormProps) {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  const [feedback, setFeedback] = useKeptInput(approvalId, 'changes', '')
  const [comments, setComments] = useKeptInput<ReadonlyMap<number, string>>(approvalId, 'comments', new Map())
  const [at, setAt] = useState(1)
  const [open, setOpen] = useState<number>()
  const field = useRef<HTMLTextAreaElement>(null)
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    field.current?.focus()
  }, [])
  useEscape('form', true, onBack)
  const message = feedback.trim()
  const given = [...comments].filter(([, note]) => note.trim() !== '').toSorted(([a], [b]) => a - b)
  const canSend = (message !== '' || given.length > 0) && !busy
  const send = (): void => {
    if (!canSend) return
    onSend({
      ...(message !== '' && { feedback: message }),
      ...(given.length > 0 && { comments: given.map(([line, note]) => ({ line, text: note.trim() })) }),
    })
  }
  const go = (line: number): void => {
    setAt(line)
    list.current?.querySelector<HTMLElement>(`[data-line="${line}"]`)?.focus()
  }
  const onLineKey = (event: KeyboardEvent, line: number): void => {
    const next = event.key === 'ArrowDown' ? line + 1 : event.key === 'ArrowUp' ? line - 1 : undefined
    if (next === undefined || next < 1 || next > lines.length) return
    event.preventDefault()
    go(next)
  }
  const close = (line: number): void => {
    setOpen(undefined)
    requestAnimationFrame(() => go(line))
  }
  return (
    <form
      className="revise"
      aria-label="Changes to the plan"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className="approval-body">
        <ol ref={list} className="revise-lines" aria-label="Lines of the plan">
          {lines.map((line, index) => {
            const n = index + 1
            const note = comments.get(n)
            return (
              <li key={n}>
                <button
                  type="button"
                  data-line={n}
                  tabIndex={n === at ? 0 : -1}
                  aria-label={`Line ${n}: ${line}. Comment on it`}
                  className="revise-line"
                  data-noted={note?.trim() ? true : undefined}
                  onFocus={() => setAt(n)}
                  onKeyDown={(event) => onLineKey(event, n)}
                  onClick={() => setOpen(n)}
                >
                  <span className="revise-n">{n}</span>
                  <span>{line || ' '}</span>
                </button>
                {(open === n || note?.trim()) && (
                  <textarea
                    rows={1}
                    className="revise-note"
                    aria-label={`Comment on line ${n}`}
                    placeholder="What about this line?"
                    value={note ?? ''}
                    maxLength={MAX_COMMENT_CHARS}
                    autoFocus={open === n}
                    onChange={(event) => setComments(new Map(comments).set(n, event.target.value))}
                    onKeyDown={(event) => {
                      if (event.nativeEvent.isComposing) return
                      if ((event.key === 'Enter' && !event.shiftKey) || event.key === 'Escape') {
                        event.preventDefault()
                        event.stopPropagation()
                        close(n)
                      }
                    }}
                  />
                )}
              </li>
            )
          })}
        </ol>
      </div>
      <div className="approval-reject">
        <textarea
          ref={field}
          rows={1}
          value={feedback}
          maxLength={MAX_COMMENT_CHARS}
          aria-label="What should change"
          placeholder="What should change? Click a line to comment."
          onChange={(event) => setFeedback(event.target.value)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return
            if (event.key === 'Enter' && !event.shiftKey) {
              event.preventDefault()
              if (!event.repeat) send()
            }
          }}
        />
        <Button type="submit" kbd="Enter" disabled={!canSend}>
          Ask for changes{given.length > 0 && ` (${given.length} on lines)`}
        </Button>
        <Button variant="quiet" kbd="Esc" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  )
}
