import type { RecordedEvent } from '../../../shared/events/event'
import { changedLines } from '../../../shared/model/approval/preview'
import { textOf } from '../../../shared/model/turn/message'
import { toolLabel } from '../../../shared/tool-label'
import { truncateToWidth, oneLine, safeText, wrapText } from './screen/text-layout'
import type { Style } from './screen/terminal'

type Started = RecordedEvent & { type: 'tool.started' }
type Finished = RecordedEvent & { type: 'tool.finished' }

/** Maximum lines shown of a command's output or an error. */
const MAX_LINES = 8

/** The line of a call that starts. */
export function startedLine(
  { name, summary }: Pick<Started, 'name' | 'summary'>,
  columns: number,
  style: Style,
): string {
  const label = oneLine(toolLabel(name))
  const rest = truncateToWidth(oneLine(summary), Math.max(10, columns - label.length - 16))
  return `${style.blue('●')} ${style.bold(label)} ${rest}`
}

/** The result of a call: a symbol with a short note, then the relevant output as separate lines. */
export function finishedLines(
  event: Finished,
  columns: number,
  style: Style,
): { sign: string; notes: string; lines: string[] } {
  const { isError, details, durationMs } = event
  const notes: string[] = []
  const changed = changedLines(details)
  if (changed) notes.push(`+${changed.added} -${changed.removed}`)
  if (details?.kind === 'output' && details.exitCode !== undefined && details.exitCode !== 0)
    notes.push(`exit ${details.exitCode}`)
  if (details?.kind === 'task' && details.started) notes.push(`in the background: ${details.task.taskId}`)
  if (details?.kind === 'matches') notes.push(`${details.total} found`)
  notes.push(duration(durationMs))
  const sign = isError ? style.red('✗') : style.green('✓')
  const lines =
    !isError && details?.kind === 'open'
      ? [`  │ ${safeText(details.address)}`]
      : !isError && details?.kind === 'event' && details.file
        ? [`  │ ${safeText(details.file.path)}`]
        : details?.kind === 'output' || details?.kind === 'agent'
          ? tail(details.text, columns)
          : isError
            ? outputLines(textOf(event.content), columns)
            : []
  return { sign, notes: notes.join(', '), lines: lines.map((line) => style.dim(line)) }
}

/** The end of a text, indented, each line truncated to the terminal. */
function tail(text: string, columns: number): string[] {
  const lines = safeText(text).replaceAll('\t', '    ').trimEnd().split('\n')
  if (lines.length === 1 && lines[0] === '') return []
  const shown = lines.slice(-MAX_LINES).map((line) => `  │ ${truncateToWidth(line, Math.max(8, columns - 5))}`)
  const left = lines.length - MAX_LINES
  return left > 0 ? [`  │ … ${left} ${left === 1 ? 'line' : 'lines'} before`, ...shown] : shown
}

/** The start of the text for the model, indented, wrapped between words. */
function outputLines(text: string, columns: number): string[] {
  const lines = wrapText(safeText(text).trim(), columns - 5)
  return [...lines.slice(0, MAX_LINES), ...(lines.length > MAX_LINES ? ['…'] : [])].map((line) => `  │ ${line}`)
}

/** `12 ms`, `3.4 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  const rest = seconds % 60
  return `${Math.floor(seconds / 60)} min${rest === 0 ? '' : ` ${rest} s`}`
}
