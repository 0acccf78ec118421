import { eventText } from '../../../../shared/model/approval/calendar-event'
import type { ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk'
import { fileDiffs, type Preview, type ToolDetails } from '../../../../shared/model/approval/preview'
import type { ResultPart } from '../../../../shared/model/turn/message'
import { describeDenial } from '../../../../shared/model/task/sandbox'
import { fenceFor } from '../../../../shared/code-fence'
import { toolLabel } from '../../../../shared/tool-label'
import { textBlock } from './update-queue'
import { cutText, cutTextStart } from '../../../../shared/cut-text'

/** Maximum characters of a result shown in an editor. */
const MAX_SHOWN = 20_000
/** Maximum characters of a running command's output that are shown, from its end. */
const MAX_PROGRESS = 8_000

const KINDS: Readonly<Record<string, ToolKind>> = {
  Read: 'read',
  ReadMediaFile: 'read',
  ListDirectory: 'read',
  TaskOutput: 'read',
  TaskList: 'read',
  Write: 'edit',
  Edit: 'edit',
  Patch: 'edit',
  apply_patch: 'edit',
  Grep: 'search',
  Glob: 'search',
  ToolSearch: 'search',
  tool_search: 'search',
  Bash: 'execute',
  TaskStop: 'execute',
  FetchURL: 'fetch',
  WebSearch: 'fetch',
  TodoList: 'think',
  Skill: 'think',
  Agent: 'think',
  EnterPlanMode: 'switch_mode',
  ExitPlanMode: 'switch_mode',
}

export function toolKind(name: string): ToolKind {
  return KINDS[name] ?? 'other'
}

/** `Bash: npm test`, `tracker · create_issue: Typo in …`; only the name while nothing else is known. */
export function callTitle(name: string, about: string | undefined): string {
  const label = toolLabel(name)
  return about === undefined || about === '' ? label : `${label}: ${about}`
}

/** The arguments as the model wrote them; the raw text if they do not parse. */
export function rawInput(input: string): unknown {
  try {
    return input.trim() === '' ? {} : JSON.parse(input)
  } catch {
    return input
  }
}

/** The content of an approval request: a preview of the call. */
export function previewContent(preview: Preview | undefined, shown: (path: string) => string): ToolCallContent[] {
  switch (preview?.kind) {
    case 'diff':
    case 'diffs':
      return fileDiffs(preview).flatMap(({ path, diff, note }) => [
        ...diffContent(shown(path), diff).content,
        ...(note === undefined ? [] : [text(note)]),
      ])
    case 'command': {
      const { command, description, background } = preview
      const about = [description && `The agent says: ${description}`, background && 'It runs in the background.']
        .filter(Boolean)
        .join('\n\n')
      return [...(about === '' ? [] : [text(about)]), text(fenced(command, 'sh'))]
    }
    case 'text':
      return [text(preview.text)]
    case 'event':
      return [text(fenced(eventText(preview.event)))]
    case 'call': {
      const lines = preview.arguments.map(({ name, text: value }) => `${name}: ${value}`)
      const more = preview.left === undefined ? [] : [`[${preview.left.toLocaleString('en-US')} more characters]`]
      const change = preview.change === undefined ? [] : [text(fenced(preview.change, 'diff'))]
      return lines.length === 0 ? change : [...change, text(fenced([...lines, ...more].join('\n')))]
    }
    case 'plan': {
      const ways = preview.alternatives.map(({ label, description }) => `- **${label}**: ${description}`).join('\n')
      return [text(ways === '' ? preview.text : `${preview.text}\n\n${ways}`)]
    }
    case 'sandbox': {
      const { command, denied, sandbox, output } = preview
      const end = output.trim() === '' ? [] : [text(`End of the output:\n${fenced(truncate(output))}`)]
      return [text(describeDenial(denied, sandbox)), text(fenced(command, 'sh')), ...end]
    }
    default:
      return []
  }
}

/** The content of a finished call. */
export function resultContent(
  content: readonly ResultPart[],
  details: ToolDetails | undefined,
  shown: (path: string) => string,
): ToolCallContent[] {
  if (details?.kind === 'todos') return []
  const stretches = fileDiffs(details).flatMap(({ path, diff }) => diffContent(shown(path), diff).content)
  if (stretches.length > 0) return stretches
  if (details?.kind === 'decision') return [text(details.text)]
  if (details?.kind === 'agent') return [text(truncate(details.text))]
  return content.flatMap((part): ToolCallContent[] => {
    if (part.type === 'text') return part.text.trim() === '' ? [] : [text(fenced(truncate(part.text)))]
    if (!part.mediaType.startsWith('image/')) return [text(`${part.name ?? 'A file'} (${part.mediaType})`)]
    return [{ type: 'content', content: { type: 'image', data: part.data, mimeType: part.mediaType } }]
  })
}

/** Tools whose `path` is a file that an editor can show. */
const ON_FILES: ReadonlySet<string> = new Set(['Read', 'Write', 'Edit', 'Patch', 'ReadMediaFile'])

/** The file locations of a call, so that an editor can follow along. */
export function locationsOf(
  { name, input }: { name: string; input?: unknown },
  details: ToolDetails | undefined,
  absolute: (path: string) => string,
  shown: (path: string) => string,
): ToolCallLocation[] {
  if (details?.kind === 'file') return [{ path: shown(details.path), line: Math.max(1, details.line) }]
  const files = fileDiffs(details)
  if (files.length > 0)
    return files.map(({ path, diff }) => {
      const { line } = diffContent('', diff)
      return { path: shown(path), ...(line !== undefined && { line }) }
    })
  if (
    !ON_FILES.has(name) ||
    typeof input !== 'object' ||
    input === null ||
    !('path' in input) ||
    typeof input.path !== 'string'
  )
    return []
  return [{ path: shown(absolute(input.path)) }]
}

/** The end of a command's output so far. */
export function progressContent(plain: string): ToolCallContent[] {
  const end = plain.length > MAX_PROGRESS ? `…${cutTextStart(plain, MAX_PROGRESS)}` : plain
  return end.trim() === '' ? [] : [text(fenced(end))]
}

function text(words: string): ToolCallContent {
  return { type: 'content', content: textBlock(words) }
}

function truncate(words: string): string {
  if (words.length <= MAX_SHOWN) return words
  return `${cutText(words, MAX_SHOWN)}\n[${(words.length - MAX_SHOWN).toLocaleString('en-US')} more characters]`
}

/** Editors render text as Markdown, so plain text is fenced, with a fence that it does not contain. */
function fenced(words: string, language = ''): string {
  const fence = fenceFor(words)
  return `${fence}${language}\n${words.replace(/\n$/, '')}\n${fence}`
}

type DiffContent = Extract<ToolCallContent, { type: 'diff' }>

/**
 * The hunks of a unified diff, before and after, with their context lines. A new file is one hunk. A truncated diff
 * yields the hunks it contains.
 */
export function diffContent(path: string, diff: string): { content: DiffContent[]; line?: number } {
  const [header = '', ...rest] = diff.split('\n')
  const isNew = header === '--- /dev/null'
  const content: DiffContent[] = []
  let first: number | undefined
  let hunk: Sides | undefined
  const close = (): void => {
    if (!hunk) return
    content.push({ type: 'diff', path, newText: hunk.new.join(''), oldText: isNew ? null : hunk.old.join('') })
    hunk = undefined
  }
  for (const line of rest.slice(1)) {
    const start = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(line)
    if (start) {
      close()
      hunk = { old: [], new: [], latest: [] }
      first ??= Math.max(1, Number(start[1]))
    } else if (hunk) {
      take(hunk, line)
    }
  }
  close()
  return { content, ...(first !== undefined && { line: first }) }
}

interface Sides {
  old: string[]
  new: string[]
  /** The sides of the diff that the latest line belongs to. */
  latest: string[][]
}

function take(hunk: Sides, line: string): void {
  if (line.startsWith('\\')) {
    // "\ No newline at end of file": the previous line has no line end.
    for (const side of hunk.latest) side.push(side.pop()!.slice(0, -1))
    return
  }
  if (!/^[-+ ]/.test(line)) return
  hunk.latest = line.startsWith('-') ? [hunk.old] : line.startsWith('+') ? [hunk.new] : [hunk.old, hunk.new]
  for (const side of hunk.latest) side.push(`${line.slice(1)}\n`)
}
