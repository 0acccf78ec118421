import { HandedOver } from './device-results'
import './tools.css'
import {
  ChevronRight,
  FileSearch,
  AlarmClock,
  BellRing,
  Bot,
  CalendarPlus,
  Clock,
  ExternalLink,
  MapPin,
  CircleQuestionMark,
  CircleStop,
  ClipboardCheck,
  ClipboardList,
  FileImage,
  FileOutput,
  FilePen,
  FileText,
  FolderOpen,
  FolderSearch,
  Globe,
  LayoutList,
  Mail,
  ListTodo,
  Search,
  Send,
  SquareTerminal,
  Wrench,
  PackageSearch,
  Plug,
  type LucideIcon,
} from 'lucide-react'
import { memo, type ComponentProps } from 'react'
import type { Task } from '../../../../shared/model/task/task'
import { doneLabel, toolLabel } from '../../../../shared/tool-label'
import type { ToolItem } from '../../../../shared/events/transcript-item'
import { useWaitingAgent } from '../../../state/inbox-state'
import { cx } from '../../../ui/cx'
import { StatusDot } from '../../../ui/badge'
import { SandboxLabel } from '../../../ui/content/sandbox-note'
import { BackgroundOutcome, LiveCommand, useLiveCommand } from './background-task'
import { Elapsed } from '../../../ui/content/elapsed'
import { Subagent, SubagentOutcome, useSubagent } from './subagent'
import { ToolDetailsView } from './tool-details'
import { toolOutcome, commandPurpose, toolSummary } from './tool-summary'
import { useFoundFile } from '../../../state/file-links'
import { findPaths } from '../../../format/paths-in-text'
import { FileLink, PathText } from '../../../ui/content/file-link'
import { textOf } from '../../../../shared/model/turn/message'
import { withoutAnsi } from '../../../format/ansi-spans'

interface ToolRowProps {
  item: ToolItem
  open: boolean
  onToggle: (id: string) => void
}

const TONES = { plain: 'text-ink-3', wait: 'text-wait-ink', run: 'text-run-ink', fail: 'text-fail-ink' }

/** One call: a row that expands to its details. */
export const ToolRow = memo(function ToolRow({ item, open, onToggle }: ToolRowProps) {
  const outcome = toolOutcome(item)
  const summary = toolSummary(item)
  const purpose = commandPurpose(item)
  const canOpen = item.state !== 'drafting'
  const detailsId = `details-${item.id}`
  const live = useLiveCommand(item, open)
  const subagent = useSubagent(item)
  const agentWaits = useWaitingAgent(item.agent?.agentId)
  const sandbox = sandboxOf(item, live.task)
  const asks = item.questions?.some(({ outcome }) => outcome === undefined) ?? false
  const waits = live.task?.prompt !== undefined || agentWaits || asks
  // Shows the subagent's current step while it works.
  const shown = open || live.shown || subagent?.status === 'running'
  return (
    <div className="tool" data-state={item.state} data-call={item.callId}>
      <OpenFileButton item={item} />
      <button
        type="button"
        className="tool-row"
        aria-expanded={canOpen ? shown : undefined}
        aria-controls={shown ? detailsId : undefined}
        disabled={!canOpen}
        onClick={() => {
          if (open) live.hide()
          onToggle(item.id)
        }}
      >
        <ToolIcon name={item.name} />
        <b title={item.name}>{item.state === 'done' ? doneLabel(item.name) : toolLabel(item.name)}</b>
        {purpose !== undefined && (
          <span className="tool-purpose" title={purpose}>
            {purpose}
          </span>
        )}
        <span className="tool-summary" title={summary} data-below={purpose !== undefined || undefined}>
          {summary}
        </span>
        {sandbox && <SandboxLabel sandbox={sandbox} />}
        <span className={cx('tool-outcome', TONES[waits ? 'wait' : outcome.tone])}>
          {item.state === 'running' && !subagent && (
            <StatusDot status={waits ? 'waiting' : 'running'} silent className="pulse-dot" />
          )}
          {item.state === 'waiting' && <StatusDot status="waiting" silent />}
          {outcome.lines && (
            <>
              <span className="text-add-ink">+{outcome.lines.added}</span>{' '}
              <span className="text-del-ink">−{outcome.lines.removed}</span>
            </>
          )}
          {subagent && (subagent.background || subagent.status === 'running') ? (
            <SubagentOutcome task={subagent} />
          ) : item.details?.kind === 'task' && item.details.started ? (
            <BackgroundOutcome task={item.details.task} />
          ) : waits ? (
            'waiting for you'
          ) : (
            outcome.text
          )}
          {item.state === 'running' && <Elapsed since={item.at} />}
        </span>
        <ChevronRight aria-hidden className="tool-chevron" />
      </button>
      {!shown && <FailureTail item={item} />}
      {!shown && item.state === 'done' && <HandedOver details={item.details} />}
      {shown && canOpen && (
        <div id={detailsId} className="tool-details">
          {live.task ? (
            <LiveCommand taskId={live.task.taskId} />
          ) : subagent && !open ? (
            <Subagent item={item} />
          ) : (
            <ToolDetailsView item={item} />
          )}
        </div>
      )}
    </div>
  )
})

/** Where a command runs or ran: as recorded with its result, else from its task or the decision about it. */
function sandboxOf(
  { name, details, judged, state }: ToolItem,
  task: Task | undefined,
): ComponentProps<typeof SandboxLabel>['sandbox'] | undefined {
  if (name !== 'Bash') return undefined
  const recorded =
    details?.kind === 'output' ? details.sandbox : details?.kind === 'task' ? details.task.sandbox : task?.sandbox
  if (recorded) return recorded
  return judged?.sandbox !== undefined && state === 'running' ? { level: judged.sandbox } : undefined
}

const FILE_TOOLS = new Set(['Read', 'Write', 'Edit', 'Patch', 'ReadMediaFile', 'apply_patch'])

/** Opens the file of a row; separate from the row's own button. */
function OpenFileButton({ item }: { item: ToolItem }) {
  const place = FILE_TOOLS.has(item.name) ? fileLocationOf(item) : undefined
  const file = useFoundFile(place?.path)
  if (!place || !file || file.isFolder) return null
  return (
    <span className="tool-open-file">
      <FileLink path={place.path} line={place.line}>
        <FileSearch aria-hidden />
        <span className="sr-only">Open {file.path}</span>
      </FileLink>
    </span>
  )
}

/** The file a call reads or changes, and its first relevant line. */
export function fileLocationOf({
  details,
  summary,
}: Pick<ToolItem, 'details' | 'summary'>): { path: string; line?: number } | undefined {
  if (details?.kind === 'file') return { path: details.path, line: details.line }
  if (details?.kind === 'diff') return { path: details.path, ...lineOf(details.diff) }
  if (details?.kind === 'media') return { path: details.path }
  const [first] = findPaths(summary)
  return first && { path: first.path }
}

/** The line of the first change in the current file. */
function lineOf(diff: string): { line?: number } {
  const [, start = ''] = /^@@ -\d+(?:,\d+)? \+(\d+)/m.exec(diff) ?? []
  if (start === '') return {}
  const body = diff.slice(diff.indexOf('@@')).split('\n').slice(1)
  const before = body.findIndex((line) => line.startsWith('+') || line.startsWith('-'))
  return { line: Number(start) + Math.max(0, before) }
}

/** Lines of a failed command shown without expanding it. */
const LINES = 6
const MAX_CHARS = 240

/**
 * Why a call failed, below its collapsed row: the last lines of a command, the first line of any other failure, with
 * the line it announces.
 */
function FailureTail({ item }: { item: ToolItem }) {
  const lines = failureLines(item)
  if (lines.length === 0) return null
  return (
    <pre className="tool-tail" role="group" aria-label="Why it failed">
      <PathText text={lines.join('\n')} />
    </pre>
  )
}

/** The lines; empty when the call did not fail. */
export function failureLines({ state, details, content }: Pick<ToolItem, 'state' | 'details' | 'content'>): string[] {
  if (details?.kind === 'output') {
    const hasFailed = details.exitCode === undefined ? state === 'failed' : details.exitCode !== 0
    if (!hasFailed) return []
    // Blank lines carry no information here.
    const lines = withoutAnsi(details.text)
      .split('\n')
      .filter((line) => line.trim() !== '')
    return lines.slice(-LINES).map(cut)
  }
  if (state !== 'failed' || !content) return []
  const [first, second] = textOf(content)
    .split('\n')
    .filter((line) => line.trim() !== '')
  if (first === undefined) return []
  const isHeading = first.trimEnd().endsWith(':')
  return [first, ...(isHeading && second !== undefined ? [second] : [])].map((line) => cut(line.trim()))
}

function cut(line: string): string {
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS)} …` : line
}

const ICONS: Record<string, LucideIcon> = {
  Agent: Bot,
  apply_patch: FilePen,
  AskUserQuestion: CircleQuestionMark,
  Bash: SquareTerminal,
  CreateCalendarEvent: CalendarPlus,
  CreateSubagent: Bot,
  Edit: FilePen,
  EnterPlanMode: ClipboardList,
  ExitPlanMode: ClipboardCheck,
  FetchURL: Globe,
  GetLocalTime: Clock,
  GetLocation: MapPin,
  Glob: FolderSearch,
  Grep: Search,
  ListDirectory: FolderOpen,
  OpenURL: ExternalLink,
  MailDraft: Mail,
  MailFlag: Mail,
  MailMove: Mail,
  MailRead: Mail,
  MailSearch: Mail,
  MailSend: Send,
  Patch: FilePen,
  Read: FileText,
  ReadMediaFile: FileImage,
  SendDMail: Send,
  SendNotification: BellRing,
  SetAlarm: AlarmClock,
  TaskList: LayoutList,
  TaskOutput: SquareTerminal,
  TaskStop: CircleStop,
  TodoList: ListTodo,
  tool_search: PackageSearch,
  WebSearch: Globe,
  Write: FileOutput,
}

/** The icon of a tool; a plug for MCP tools, a wrench for unknown ones. */
export function ToolIcon({ name }: { name: string }) {
  const Icon = ICONS[name] ?? (name.startsWith('mcp__') ? Plug : Wrench)
  return <Icon aria-hidden className="size-[15px] flex-none stroke-[1.6]" />
}
