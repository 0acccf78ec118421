import { use, useId, useRef, useState, useEffect, type ReactNode } from 'react'
import { TriangleAlert } from 'lucide-react'
import {
  isDangerous,
  type Approval,
  type ApprovalOption,
  type ApprovalReason,
} from '../../../shared/model/approval/approval'
import type { Failure } from '../../../shared/errors'
import { changedLines } from '../../../shared/model/approval/preview'
import { toolLabel } from '../../../shared/tool-label'
import { failureFrom } from '../../client/failure-from'
import { Button, type ButtonVariant } from '../../ui/button'
import { ErrorNote } from '../../ui/notice'
import { onDemand } from '../../ui/on-demand'
import { useEscape } from '../../state/page/escape'
import { SandboxNote } from '../../ui/content/sandbox-note'
import { AlwaysForm } from './always-form'
import {
  type ApprovalReply,
  cardActions,
  type CardAction,
  leavesSandbox,
  reportUnusedAnswer,
  useCardKeys,
  useAnswerGrace,
} from './card-actions'
import { CardFolding, CardHead } from './card-head'
import { useKeptInput } from './kept-input'
import { PreviewView } from './proposal/preview-view'
import { VisibleTokens } from '../../ui/content/visible-tokens'

export interface ApprovalCardProps {
  sessionId: string
  approval: Approval
  /** Number of further pending requests. */
  behind?: number
  /** Changes when the card moves; the card then ignores answers for a moment. */
  place?: string
  /** Why it cannot be answered now. */
  blocked?: string | undefined
  /** Rejects when the answer could not be sent. */
  onReply: (approvalId: string, reply: ApprovalReply) => Promise<void>
  /** The answer was given from within the card, which is about to disappear: the focus must move. */
  onAnswered?: () => void
}

type Step =
  | { kind: 'open' }
  | { kind: 'rejecting' }
  | { kind: 'editing' }
  | { kind: 'sent' }
  | { kind: 'always'; scope: 'session' | 'user' }

const ProposalEditor = onDemand(() => import('./proposal/proposal-editor').then((module) => module.ProposalEditor))

/** Tools that change one text file, as their prompts say. */
const EDITABLE: ReadonlySet<string> = new Set(['Write', 'Edit', 'Patch'])

/**
 * Asks whether a call may run. Answered by a button or its number; "always" shows what it would cover, and rejecting
 * offers a reason. Allowing requires that the end of the preview was in view. A dangerous call shows every reason, and
 * no single key allows it.
 */
export function ApprovalCard({
  sessionId,
  approval,
  behind = 0,
  place = '',
  blocked,
  onReply,
  onAnswered,
}: ApprovalCardProps) {
  const { approvalId, tool, summary, reason, reasons, preview, options } = approval
  const label = toolLabel(tool)
  const [step, setStep] = useState<Step>({ kind: 'open' })
  const [why, setWhy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const grace = useAnswerGrace(place)
  const card = useRef<HTMLDivElement>(null)
  const lastAction = useRef<string>(undefined)
  const whyId = useId()
  const danger = isDangerous(approval)
  const actions = cardActions(options, danger)
  const fold = use(CardFolding)
  const changed = changedLines(preview)
  const [seen, setSeen] = useState(preview === undefined)
  const reject = options.find((option) => option.kind === 'reject_once')
  const always = options.find((option) => option.kind === 'allow_always')
  const once = options.find((option) => option.kind === 'allow_once')
  const canEdit = once !== undefined && preview?.kind === 'diff' && EDITABLE.has(tool)

  const send = async (option: ApprovalOption, more: Omit<ApprovalReply, 'optionId'> = {}): Promise<void> => {
    const focused = card.current?.contains(document.activeElement) ?? false
    // An edited proposal stays on screen until it is written.
    if (!more.edited) setStep({ kind: 'sent' })
    setFailure(undefined)
    try {
      await onReply(approvalId, { optionId: option.optionId, ...more })
      if (focused) onAnswered?.()
    } catch (error) {
      const failed = failureFrom(error)
      if (failed.code === 'approval.gone') return reportUnusedAnswer(failed)
      setFailure(failed)
      if (!more.edited) setStep({ kind: 'open' })
    }
  }
  const canAct = ({ kind }: CardAction): boolean => kind === 'reject' || kind === 'stop' || seen
  const act = (action: CardAction | undefined): void => {
    if (!action || step.kind !== 'open' || blocked !== undefined || !canAct(action)) return
    lastAction.current = action.key
    if (action.kind === 'reject') setStep({ kind: 'rejecting' })
    else if (action.kind === 'always') {
      fold?.setCompact(false)
      setStep({ kind: 'always', scope: action.scope })
    } else void send(action.option)
  }
  const goBack = (): void => {
    setStep({ kind: 'open' })
    requestAnimationFrame(() =>
      card.current?.querySelector<HTMLElement>(`[data-action="${lastAction.current}"]`)?.focus(),
    )
  }
  useCardKeys(
    actions.flatMap(({ kbd }) => kbd ?? []),
    step.kind === 'open' && blocked === undefined,
    grace.since,
    (key) => act(actions.find(({ kbd }) => kbd === key)),
  )
  useEscape('popover', why, () => setWhy(false))
  const buttons = actions.map((action, index) => ({ action, variant: variantOf(action, index, danger) }))
  const button = ({ action, variant }: { action: CardAction; variant: ButtonVariant }): ReactNode => (
    <Button
      key={action.key}
      data-action={action.key}
      data-quiet={variant === 'quiet' || undefined}
      variant={variant}
      {...(action.kbd !== undefined && { kbd: action.kbd })}
      disabled={step.kind === 'sent' || blocked !== undefined}
      className={canAct(action) ? 'max-w-full' : 'max-w-full opacity-50'}
      // A card that appears or moves under the pointer ignores clicks meant for what was there before.
      aria-disabled={!grace.isArmed || !canAct(action) || undefined}
      onClick={() => grace.isArmed && act(action)}
    >
      <span className="truncate">{action.label}</span>
    </Button>
  )

  return (
    <div
      ref={card}
      role="group"
      aria-label={`Approval needed: ${label} ${summary}`}
      className="approval"
      data-danger={danger || undefined}
    >
      <CardHead behind={behind} dangers={reasons?.filter((one) => one.danger).length ?? 0}>
        <b title={tool}>{label}</b>
        {label !== tool && <span className="sr-only">({tool})</span>}
        {/* The arguments of an MCP tool are shown below. */}
        {preview?.kind === 'call' ? (
          <span className="min-w-0 flex-1 truncate text-ink-2">{preview.title}</span>
        ) : (
          <span className="approval-summary" title={summary}>
            {summary}
          </span>
        )}
        {changed && (
          <span className="approval-lines">
            <span className="text-add-ink">+{changed.added}</span>{' '}
            <span className="text-del-ink">−{changed.removed}</span>
          </span>
        )}
        {!danger && (
          <button
            type="button"
            className="approval-why-button"
            aria-expanded={why}
            aria-controls={why ? whyId : undefined}
            onClick={() => setWhy(!why)}
          >
            Why?
          </button>
        )}
      </CardHead>
      <div className="approval-body">
        {(why || danger) &&
          (reasons ? (
            <div id={whyId}>
              <ReasonList reasons={reasons} />
            </div>
          ) : (
            <p id={whyId} className="approval-why">
              {withCode(reason)}
            </p>
          ))}
        {preview && step.kind !== 'editing' && (
          <PreviewView preview={preview} onSeen={() => setSeen(true)} dangers={dangerousParts(approval)} />
        )}
        {failure && <ErrorNote failure={failure} className="m-3" />}
        {step.kind === 'always' && always && (
          <AlwaysForm
            sessionId={sessionId}
            approval={approval}
            scope={step.scope}
            onSend={(rule) => void send(always, { rule })}
            onBack={goBack}
          />
        )}
      </div>
      {step.kind === 'editing' && once ? (
        <ProposalEditor
          sessionId={sessionId}
          approvalId={approvalId}
          onAllow={(edited) => void send(once, { edited })}
          onBack={goBack}
        />
      ) : step.kind === 'rejecting' && reject ? (
        <RejectForm
          approvalId={approvalId}
          onSend={(feedback) => void send(reject, feedback === undefined ? {} : { feedback })}
          onBack={goBack}
        />
      ) : (
        step.kind !== 'always' && (
          <div className="approval-acts">
            {buttons.filter(({ variant }) => variant !== 'quiet').map(button)}
            {/* They stay together where the line wraps. */}
            <div className="approval-more">
              {buttons.filter(({ variant }) => variant === 'quiet').map(button)}
              {canEdit && (
                <Button
                  data-action="edit"
                  data-quiet
                  variant="quiet"
                  className="max-w-full"
                  disabled={step.kind === 'sent' || blocked !== undefined}
                  onClick={() => {
                    if (step.kind !== 'open' || blocked !== undefined) return
                    lastAction.current = 'edit'
                    fold?.setCompact(false)
                    setStep({ kind: 'editing' })
                  }}
                >
                  <span className="truncate">Edit…</span>
                </Button>
              )}
            </div>
            {blocked !== undefined && <span className="text-small text-ink-3">{blocked}</span>}
            <span className={seen ? 'sr-only' : 'approval-hint'} role="status">
              {grace.isArmed &&
                (seen
                  ? 'You can answer now.'
                  : fold?.compact
                    ? 'Show the request to allow it.'
                    : 'Scroll to the end of the preview to allow this.')}
            </span>
          </div>
        )
      )}
      {(step.kind === 'open' || step.kind === 'sent') && <SandboxNote options={options} />}
    </div>
  )
}

/**
 * The first option is the primary one, unless the call is dangerous: then rejecting is. Leaving the sandbox is marked
 * as dangerous when the sandbox is also offered.
 */
function variantOf(action: CardAction, index: number, danger: boolean): ButtonVariant {
  if (action.kind === 'stop') return 'quiet'
  if (action.kind === 'reject') return danger ? 'primary' : 'quiet'
  if (action.kind === 'always') return 'default'
  if (danger || leavesSandbox(action.option, index)) return 'danger'
  return index === 0 ? 'primary' : 'default'
}

/** The parts of the command to highlight: all of it, if it has only one part. */
function dangerousParts({ reasons = [], preview }: Approval): string[] {
  const whole = preview?.kind === 'command' ? preview.command : ''
  return reasons.flatMap(({ danger, part }) => (danger ? [part ?? whole] : []))
}

/** The reason, with its parts in backticks as code. */
function withCode(reason: string): ReactNode[] {
  return reason.split(/`([^`]+)`/).map((text, index) => (index % 2 === 1 ? <code key={index}>{text}</code> : text))
}

/** Every reason why approval is required, dangers first and in red. */
function ReasonList({ reasons }: { reasons: readonly ApprovalReason[] }) {
  return (
    <ul className="approval-reasons" aria-label="Reasons">
      {reasons.map(({ text, part, danger }) => (
        <li key={`${part ?? ''} ${text}`} data-danger={danger}>
          {danger && <TriangleAlert aria-label="Danger:" />}
          <span>
            {part !== undefined && (
              <>
                <code>
                  <VisibleTokens text={part} />
                </code>{' '}
              </>
            )}
            {text}
          </span>
        </li>
      ))}
    </ul>
  )
}

interface RejectFormProps {
  approvalId: string
  /** `undefined`: no reason was given. */
  onSend: (feedback: string | undefined) => void
  onBack: () => void
}

const MAX_REASON_CHARS = 10_000

/** Asks for the reason, which is sent to the model. Enter rejects, with or without one; Esc goes back. */
function RejectForm({ approvalId, onSend, onBack }: RejectFormProps) {
  const [text, setText] = useKeptInput(approvalId, 'reason', '')
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    field.current?.focus()
  }, [])
  useEscape('form', true, onBack)
  const send = (): void => onSend(text.trim() === '' ? undefined : text.trim())
  return (
    <form
      className="approval-reject"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={field}
        rows={1}
        value={text}
        maxLength={MAX_REASON_CHARS}
        aria-label="Tell the agent what to do instead"
        placeholder="Tell the agent what to do instead"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault()
            // Ignore a key held since choosing "Reject".
            if (!event.repeat) send()
          }
        }}
      />
      <Button type="submit" kbd="Enter">
        Reject
      </Button>
      <Button variant="quiet" kbd="Esc" onClick={onBack}>
        Back
      </Button>
    </form>
  )
}
