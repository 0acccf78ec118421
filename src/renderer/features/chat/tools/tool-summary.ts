import { argumentText } from '../../../../shared/tool-label'
import { type CallArgument, changedLines } from '../../../../shared/model/approval/preview'
import { isPlanFile } from '../../../../shared/model/turn/plan'
import type { ToolItem } from '../../../../shared/events/transcript-item'
import { duration } from '../../../format/relative-time'

const TELLING = ['command', 'path', 'pattern', 'query', 'url', 'description', 'prompt', 'name']

/** A one-line summary of a call: the tool's own, or until it arrives the most informative argument. */
export function toolSummary(item: Pick<ToolItem, 'name' | 'summary' | 'input'>): string {
  if (item.name === 'TodoList' && /^(?:read|clear)$/.test(item.summary)) return item.summary === 'read' ? '' : 'emptied'
  if (item.summary !== '') return isPlanFile(item.summary.trim()) ? 'the plan' : oneLine(item.summary)
  const input = parsedInput(item.input)
  if (typeof input !== 'object' || input === null) return ''
  for (const key of TELLING) {
    const value: unknown = (input as Record<string, unknown>)[key]
    if (typeof value === 'string' && value !== '') return oneLine(value)
  }
  return ''
}

/** The model's description of its command; undefined when it gave none. */
export function commandPurpose({ name, input }: Pick<ToolItem, 'name' | 'input'>): string | undefined {
  const parsed = name === 'Bash' ? parsedInput(input) : undefined
  const purpose: unknown =
    typeof parsed === 'object' && parsed !== null && 'description' in parsed ? parsed.description : undefined
  return typeof purpose === 'string' && purpose.trim() !== '' ? oneLine(purpose) : undefined
}

/** The arguments as formatted JSON; unchanged when they do not parse. */
export function prettyInput(input: string): string {
  const parsed = parsedInput(input)
  return parsed === undefined ? input : JSON.stringify(parsed, null, 2)
}

/** The arguments of an MCP tool call, one by one; undefined for other tools, and when they do not parse. */
export function namedArguments({ name, input }: Pick<ToolItem, 'name' | 'input'>): CallArgument[] | undefined {
  const parsed = name.startsWith('mcp__') ? parsedInput(input) : undefined
  if (typeof parsed !== 'object' || parsed === null) return undefined
  return Object.entries(parsed).map(([key, value]) => ({
    name: key,
    text: argumentText(value),
  }))
}

function parsedInput(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return undefined
  }
}

function oneLine(text: string): string {
  return text.slice(0, 300).replace(/\s+/g, ' ').trim()
}

/** Content at the right end of a tool row. */
export interface ToolOutcome {
  text: string
  tone: 'plain' | 'wait' | 'run' | 'fail'
  /** Lines added and removed, shown in color before the text. */
  lines?: { added: number; removed: number }
}

/** Shorter durations are not shown. */
const NOTABLE_MS = 1000

/** The result of a call in a few words. */
export function toolOutcome(item: ToolItem): ToolOutcome {
  switch (item.state) {
    case 'drafting':
      return { text: item.chars > 200 ? `writing, ${item.chars.toLocaleString()} characters` : 'writing', tone: 'run' }
    case 'ready':
      return { text: 'queued', tone: 'plain' }
    case 'waiting':
      return { text: 'waiting for you', tone: 'wait' }
    case 'running':
      return { text: 'running', tone: 'run' }
    case 'rejected':
      return { text: item.approval?.outcome === 'cancelled' ? 'not run' : 'rejected', tone: 'plain' }
    case 'interrupted':
      return { text: 'no result', tone: 'plain' }
    case 'failed':
      return { text: joined(failure(item), time(item)), tone: 'fail' }
    default:
      return done(item)
  }
}

function done(item: ToolItem): ToolOutcome {
  const { details } = item
  switch (details?.kind) {
    case 'diff':
      return { text: '', tone: 'plain', lines: { added: details.added, removed: details.removed } }
    case 'diffs':
      return {
        text: count(details.files.length, 'file'),
        tone: 'plain',
        lines: changedLines(details) ?? { added: 0, removed: 0 },
      }
    case 'file':
      return plain(count(details.lines, 'line'))
    case 'output':
      return details.exitCode === undefined || details.exitCode === 0
        ? plain(duration(details.durationMs))
        : { text: joined(`exit ${details.exitCode}`, duration(details.durationMs)), tone: 'fail' }
    case 'matches': {
      const files = details.files.length
      const namesOnly = details.files.every((file) => file.lines.length === 0 && file.count === undefined)
      const more = details.truncated ? '+' : ''
      if (details.total === 0) return plain('nothing found')
      return plain(
        namesOnly
          ? `${details.total.toLocaleString()}${more} ${details.total === 1 ? 'file' : 'files'}`
          : `${details.total.toLocaleString()}${more} in ${count(files, 'file')}`,
      )
    }
    case 'entries':
      return plain(details.entries.length === 1 ? '1 entry' : `${details.entries.length.toLocaleString()} entries`)
    case 'media':
      return plain(
        details.width !== undefined && details.height !== undefined
          ? `${details.width} × ${details.height}`
          : formatBytes(details.bytes),
      )
    case 'page':
      return plain(formatBytes(details.bytes))
    case 'hits':
      return plain(details.hits.length === 0 ? 'nothing found' : count(details.hits.length, 'hit'))
    case 'tools':
      return plain(details.tools.length === 0 ? 'nothing found' : `${count(details.tools.length, 'tool')} loaded`)
    case 'decision':
      return plain(details.decision === 'revise' ? 'changes requested' : (details.choice ?? 'approved'))
    case 'answers':
      return plain(details.answers ? 'answered' : 'dismissed')
    case 'todos':
      // The summary already contains the number of completed items.
      return plain('')
    default:
      return plain(time(item))
  }
}

function failure(item: ToolItem): string {
  const { details } = item
  if (details?.kind === 'output' && details.exitCode !== undefined) return `exit ${details.exitCode}`
  return 'failed'
}

function time(item: ToolItem): string {
  return item.durationMs !== undefined && item.durationMs >= NOTABLE_MS ? duration(item.durationMs) : ''
}

function plain(text: string): ToolOutcome {
  return { text, tone: 'plain' }
}

function joined(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' · ')
}

function count(n: number, word: string): string {
  return `${n.toLocaleString()} ${word}${n === 1 ? '' : 's'}`
}

/** A size for display: `812 B`, `3.4 KB`, `12 MB`. */
export function formatBytes(n: number): string {
  if (n < 1000) return `${n} B`
  const units = ['KB', 'MB', 'GB', 'TB']
  let value = n / 1000
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}
