import type { Message, UserPart } from '../../../../shared/model/turn/message'
import { partsTokens, textTokens } from '../tokens/token-estimate'
import type { Todo } from '../../../../shared/model/turn/plan'

/** Share of the tokens for the user's first message, which usually states the task. */
const SHARE_OF_FIRST = 0.1
const ELIDED = '[… the middle of this message was left out …]'

export interface KeptUserMessages {
  /** Oldest first. */
  kept: UserPart[][]
  /** How many messages were left out or shortened. */
  lost: number
}

/**
 * The user's own messages of a history, within `budget` tokens: the newest, and the start of the first; a note replaces
 * the middle.
 */
export function keptUserMessages(history: readonly Message[], budget: number): KeptUserMessages {
  const words = history.flatMap((message) =>
    message.role === 'user' && message.by === undefined ? [plain(message.parts)] : [],
  )
  const [first, ...rest] = words
  if (!first) return { kept: [], lost: 0 }
  if (words.reduce((sum, parts) => sum + partsTokens(parts), 0) <= budget) return { kept: words, lost: 0 }
  const head = shortened(first, rest.length === 0 ? budget : budget * SHARE_OF_FIRST)
  let left = budget - partsTokens(head)
  const newest: UserPart[][] = []
  let lost = head === first ? 0 : 1
  for (const parts of rest.toReversed()) {
    const size = partsTokens(parts)
    if (size > left && newest.length > 0) break
    const kept = size > left ? shortened(parts, left) : parts
    if (kept !== parts) lost += 1
    newest.unshift(kept)
    left -= partsTokens(kept)
  }
  const between = rest.length - newest.length
  if (between === 0) return { kept: [head, ...newest], lost }
  const note: UserPart[] = [
    { type: 'text', text: `[${between} ${between === 1 ? 'message' : 'messages'} of the user left out here]` },
  ]
  return { kept: [head, note, ...newest], lost: lost + between }
}

/** Text only; pictures and inserted skills are replaced with their names. */
function plain(parts: readonly UserPart[]): UserPart[] {
  return parts.map((part) => {
    if (part.attached)
      return {
        type: 'text',
        text: `[the ${part.attached.kind} ${part.attached.name} of ${part.attached.server} was here]`,
      }
    if (part.type === 'media')
      return { type: 'text', text: `[an image was here${part.name === undefined ? '' : `: ${part.name}`}]` }
    return part.skill === undefined ? part : { type: 'text', text: `[the skill ${part.skill} was loaded here]` }
  })
}

function shortened(parts: UserPart[], tokens: number): UserPart[] {
  if (partsTokens(parts) <= tokens) return parts
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  // Counted in characters: text beyond ASCII has fewer of them for the same tokens.
  const chars = (text.length * tokens) / Math.max(1, textTokens(text))
  const half = Math.max(0, Math.floor((chars - ELIDED.length) / 2))
  return [{ type: 'text', text: `${text.slice(0, half)}\n${ELIDED}\n${text.slice(text.length - half)}`.toWellFormed() }]
}

/** Known state that is kept verbatim, independent of the summary. */
export interface PinnedState {
  todos: readonly Todo[]
  /** Commands that run in the background. */
  tasks: readonly { taskId: string; command: string; description?: string }[]
}

/** Maximum number of file names to keep; the newest. */
const MAX_FILES = 60
const FILE_TOOLS = new Set(['Read', 'ReadMediaFile', 'Write', 'Edit', 'Patch', 'apply_patch'])

/**
 * Files that were read or changed, latest last, each once; `earlier`: those kept by the previous compaction.
 */
export function touchedFiles(history: readonly Message[], earlier: readonly string[]): string[] {
  const files = new Set(earlier)
  for (const message of history) {
    if (message.role !== 'assistant') continue
    for (const part of message.parts) {
      if (part.type !== 'tool_call' || !FILE_TOOLS.has(part.name)) continue
      for (const path of pathsIn(part.input)) {
        files.delete(path)
        files.add(path)
      }
    }
  }
  return [...files].slice(-MAX_FILES)
}

/** What the model reads instead of the conversation, after the user's own messages. */
export function compactionNote(summary: string, pins: PinnedState, files: readonly string[]): string {
  const sections = [
    'The conversation before this point was compacted by Trestle to free space. The messages above are those ' +
      'of the user; this is what else is known of it. Continue from here, and do not repeat what is done.',
    `<summary>\n${summary}\n</summary>`,
  ]
  if (pins.todos.length > 0)
    sections.push(`Your to-do list:\n${pins.todos.map(({ title, status }) => `- [${status}] ${title}`).join('\n')}`)
  if (pins.tasks.length > 0)
    sections.push(
      'Running in the background:\n' +
        pins.tasks
          .map(
            ({ taskId, command, description }) =>
              `- ${taskId}: ${(description ?? command).slice(0, 200).toWellFormed()}`,
          )
          .join('\n'),
    )
  if (files.length > 0)
    sections.push(
      `Files you read or changed; read again what you need:\n${files.map((file) => `- ${file}`).join('\n')}`,
    )
  return sections.join('\n\n')
}

function pathsIn(input: string): string[] {
  try {
    const { path, input: patch } = JSON.parse(input) as { path?: unknown; input?: unknown }
    const paths =
      typeof patch === 'string'
        ? Array.from(patch.matchAll(/^\*\*\* (?:(?:Add|Update) File|Move to): (.+)$/gm), ([, name]) => name)
        : [path]
    return paths.filter((each): each is string => typeof each === 'string' && each.length < 500)
  } catch {
    return []
  }
}
