import type { Message } from '../../../../shared/model/message'
import type { Todo } from '../../../../shared/model/todo'

/** What is kept word for word, because it is known and must not depend on a summary. */
export interface Pins {
  todos: readonly Todo[]
  /** Commands that run in the background. */
  tasks: readonly { taskId: string; command: string; description?: string }[]
}

/** Most names of files that are carried on; the newest. */
const MOST_FILES = 60
const FILE_TOOLS = new Set(['Read', 'ReadMediaFile', 'Write', 'Edit', 'Patch', 'apply_patch'])

/** Files that were read or changed, the latest last, each once; `earlier` are those that a compaction before has carried on. */
export function filesOf(history: readonly Message[], earlier: readonly string[]): string[] {
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
  return [...files].slice(-MOST_FILES)
}

/** What the model reads in place of the conversation, behind the user's own words. */
export function noteOf(summary: string, pins: Pins, files: readonly string[]): string {
  const sections = [
    'The conversation before this point was compacted by Trestle to make room. The messages above are the words of the user; this is what else is known of it. Go on from here, and do not do again what is done.',
    `<summary>\n${summary}\n</summary>`,
  ]
  if (pins.todos.length > 0)
    sections.push(`Your to-do list:\n${pins.todos.map(({ title, status }) => `- [${status}] ${title}`).join('\n')}`)
  if (pins.tasks.length > 0)
    sections.push(
      `Running in the background:\n${pins.tasks.map(({ taskId, command, description }) => `- ${taskId}: ${(description ?? command).slice(0, 200).toWellFormed()}`).join('\n')}`,
    )
  if (files.length > 0)
    sections.push(`Files you read or changed; read again what you need:\n${files.map((file) => `- ${file}`).join('\n')}`)
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
