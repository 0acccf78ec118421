import type { ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk'
import { fileDiffs } from '../../../../shared/model/file-diffs'
import type { ResultPart } from '../../../../shared/model/message'
import { describeDenial } from '../../../../shared/model/sandbox'
import type { Preview, ToolDetails } from '../../../../shared/model/preview'
import { toolLabel } from '../../../../shared/model/tool-label'
import { diffContent } from './diff-content'
import { textBlock } from './update-queue'

/** Longer results are for the model; an editor shows their beginning. */
const MOST_SHOWN = 20_000
/** Of a command that runs, so much of the end is shown. */
const MOST_PROGRESS = 8_000

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

/** `Bash: npm test`, `tracker · create_issue: Typo in …`; the name alone as long as nothing else is known. */
export function callTitle(name: string, about: string | undefined): string {
  const label = toolLabel(name)
  return about === undefined || about === '' ? label : `${label}: ${about}`
}

/** The arguments as the model wrote them; its text where they do not parse. */
export function rawInput(input: string): unknown {
  try {
    return input.trim() === '' ? {} : JSON.parse(input)
  } catch {
    return input
  }
}

/** What an approval shows of what would be done. */
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
      const end = output.trim() === '' ? [] : [text(`End of the output:\n${fenced(cut(output))}`)]
      return [text(describeDenial(denied, sandbox)), text(fenced(command, 'sh')), ...end]
    }
    default:
      return []
  }
}

/** What a finished call shows. */
export function resultContent(
  content: readonly ResultPart[],
  details: ToolDetails | undefined,
  shown: (path: string) => string,
): ToolCallContent[] {
  if (details?.kind === 'todos') return []
  const stretches = fileDiffs(details).flatMap(({ path, diff }) => diffContent(shown(path), diff).content)
  if (stretches.length > 0) return stretches
  if (details?.kind === 'decision') return [text(details.text)]
  if (details?.kind === 'agent') return [text(cut(details.text))]
  return content.flatMap((part): ToolCallContent[] => {
    if (part.type === 'text') return part.text.trim() === '' ? [] : [text(fenced(cut(part.text)))]
    if (!part.mediaType.startsWith('image/')) return [text(`${part.name ?? 'A file'} (${part.mediaType})`)]
    return [{ type: 'content', content: { type: 'image', data: part.data, mimeType: part.mediaType } }]
  })
}

/** Tools whose `path` is a file that an editor can show. */
const ON_FILES: ReadonlySet<string> = new Set(['Read', 'Write', 'Edit', 'Patch', 'ReadMediaFile'])

/** Where a call is at work, so that an editor can follow. */
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
  if (!ON_FILES.has(name) || typeof input !== 'object' || input === null || !('path' in input) || typeof input.path !== 'string') return []
  return [{ path: shown(absolute(input.path)) }]
}

/** What a command has printed so far, its end. */
export function progressContent(plain: string): ToolCallContent[] {
  const end = plain.length > MOST_PROGRESS ? `…${plain.slice(-MOST_PROGRESS)}` : plain
  return end.trim() === '' ? [] : [text(fenced(end))]
}

function text(words: string): ToolCallContent {
  return { type: 'content', content: textBlock(words) }
}

function cut(words: string): string {
  if (words.length <= MOST_SHOWN) return words
  return `${words.slice(0, MOST_SHOWN)}\n[${(words.length - MOST_SHOWN).toLocaleString('en-US')} more characters]`
}

/** Editors show text as Markdown: what is none is fenced, with a fence that is not in it. */
function fenced(words: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(words.matchAll(/`{3,}/g), ([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${words.replace(/\n$/, '')}\n${fence}`
}
