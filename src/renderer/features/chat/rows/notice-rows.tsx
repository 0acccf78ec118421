import { plural } from '../../../../shared/language/plural'
import { CircleSlash, History, Info, RotateCcw, Bot, Settings, SquareTerminal } from 'lucide-react'
import { memo, useState } from 'react'
import { cutText } from '../../../../shared/cut-text'
import { CONTINUE_PROMPT, type UserPart } from '../../../../shared/model/turn/message'
import type { EndItem, NotificationItem } from '../../../../shared/events/transcript-item'
import type { ErrorCode } from '../../../../shared/errors'
import { useLayout, type SettingsSection } from '../../../state/page/layout-state'
import { Button } from '../../../ui/button'
import { ErrorNote } from '../../../ui/notice'
import type { TaskNotification } from '../../../../shared/model/task/task'
import { PlainText } from '../tools/result-views'

interface EndNoticeProps {
  item: EndItem
  /** It ends the latest turn and nothing runs, so continuing makes sense. */
  latest: boolean
  /** The prompt of the turn, to retry it if it produced nothing. */
  prompt: UserPart[] | undefined
  onPrompt: (parts: UserPart[]) => void
}

/** The settings section where the cause of a failure can be fixed. */
const SETTINGS_FOR: Partial<Record<ErrorCode, SettingsSection>> = {
  'model.auth': 'providers',
  'model.connection': 'providers',
  'model.not_found': 'models',
  'model.bad_request': 'models',
  'model.not_configured': 'models',
  'budget.reached': 'models',
  'hook.blocked': 'hooks',
}

/** How a turn ended if it did not complete normally, and the next steps. */
export function EndNotice({ item, latest, prompt, onPrompt }: EndNoticeProps) {
  // A turn with results continues; one without is retried.
  const isOver = item.steps <= 1 && item.stop !== 'max_turn_requests' && item.stop !== 'cancelled'
  const again = isOver && prompt ? prompt : CONTINUE_PROMPT
  const action = latest && (
    <Button size="small" icon={<RotateCcw aria-hidden />} onClick={() => onPrompt([...again])}>
      {again === CONTINUE_PROMPT ? 'Continue' : 'Try again'}
    </Button>
  )
  if (item.failure) {
    const section = latest ? SETTINGS_FOR[item.failure.code] : undefined
    const fix = section && (
      <Button size="small" icon={<Settings aria-hidden />} onClick={() => useLayout.getState().openSettings(section)}>
        Open settings
      </Button>
    )
    const actions = (fix || action) && (
      <>
        {fix}
        {action}
      </>
    )
    return <ErrorNote failure={item.failure} actions={actions || undefined} />
  }
  switch (item.stop) {
    case 'cancelled':
      return (
        <Line icon={<CircleSlash aria-hidden />} action={action}>
          Stopped.
        </Line>
      )
    case 'interrupted':
      return (
        <Line icon={<History aria-hidden />} action={action}>
          Trestle was closed during this turn. You can continue.
        </Line>
      )
    case 'max_turn_requests':
      return (
        <Line icon={<Info aria-hidden />} action={action}>
          Step limit reached: {item.steps} {item.steps === 1 ? 'step' : 'steps'}.
        </Line>
      )
    case 'repetition':
      return (
        <Line icon={<Info aria-hidden />} action={action}>
          Stopped after {item.steps} {plural(item.steps, 'step')}: the model kept repeating the same call.
        </Line>
      )
    case 'max_tokens':
      return (
        <Line icon={<Info aria-hidden />} action={action}>
          The answer was cut off at the model’s length limit.
        </Line>
      )
    case 'refusal':
      return <Line icon={<Info aria-hidden />}>The provider withheld the answer.</Line>
    default:
      return (
        <Line icon={<Info aria-hidden />} action={action}>
          The turn failed.
        </Line>
      )
  }
}

function Line({
  icon,
  action,
  children,
}: {
  icon: React.ReactNode
  action?: React.ReactNode
  children: React.ReactNode
}) {
  return (
    <div className="end-line">
      {icon}
      <span>{children}</span>
      {action}
    </div>
  )
}

const TASK_NOTIFICATION_LABELS: Record<TaskNotification['status'], string> = {
  running: 'is still running',
  completed: 'has completed',
  failed: 'has failed',
  stopped: 'was stopped',
  timed_out: 'timed out',
  lost: 'ended unexpectedly',
}

/** A longer note to the model is collapsed to its first sentence. */
const MAX_NOTE_CHARS = 240

interface NoticeRowProps {
  text: string
  /** It is meant for the user, not for the model. */
  toPerson?: boolean | undefined
}

/** A notice to the model or the user. Long instructions to the model are collapsed to their first sentence. */
export const NoticeRow = memo(function NoticeRow({ text, toPerson = false }: NoticeRowProps) {
  const [open, setOpen] = useState(false)
  const isLong = !toPerson && text.length > MAX_NOTE_CHARS
  return (
    <div>
      <p className="notice">
        <Info aria-hidden />
        <span className="min-w-0">
          {!toPerson && <span className="sr-only">Note from Trestle to the model: </span>}
          {isLong ? firstSentence(text) : text}
        </span>
        {isLong && <AgentMessageButton open={open} onToggle={setOpen} />}
      </p>
      {open && <PlainText text={text} label="Message to the agent" />}
    </div>
  )
})

function firstSentence(text: string): string {
  const [sentence = ''] = /^.*?[.!?:](?=\s)/s.exec(text) ?? []
  return sentence === '' || sentence.length > MAX_NOTE_CHARS ? cutText(text, MAX_NOTE_CHARS) : sentence
}

function AgentMessageButton({ open, onToggle }: { open: boolean; onToggle: (open: boolean) => void }) {
  return (
    <button
      type="button"
      className="shrink-0 text-ink-2 underline underline-offset-2"
      aria-expanded={open}
      onClick={() => onToggle(!open)}
    >
      {open ? 'Show less' : 'Message to the agent'}
    </button>
  )
}

/** Updates on background tasks sent to the agent: one line each, and on request the message the model read. */
export const TaskNotificationRow = memo(function TaskNotificationRow({ item }: { item: NotificationItem }) {
  const [open, setOpen] = useState(false)
  return (
    <div>
      {item.tasks.map((task, n) => (
        <p key={task.taskId} className="notice">
          {task.agent ? <Bot aria-hidden /> : <SquareTerminal aria-hidden />}
          <span className="min-w-0">
            <span className="sr-only">Task update: </span>
            <Name task={task} /> {TASK_NOTIFICATION_LABELS[task.status]}
            {task.exitCode !== undefined && task.exitCode !== 0 ? ` with exit code ${task.exitCode}` : ''}
          </span>
          {n === item.tasks.length - 1 && <AgentMessageButton open={open} onToggle={setOpen} />}
        </p>
      ))}
      {open && <PlainText text={item.text} label="Message to the agent" />}
    </div>
  )
})

function Name({ task }: { task: TaskNotification }) {
  if (task.description !== undefined) return <span className="text-ink-2">{task.description}</span>
  return <code>{task.command || task.taskId}</code>
}
