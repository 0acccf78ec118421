import { dirname, join, relative, sep } from 'node:path'
import { textOf, type Message } from '../../../../shared/model/turn/message'
import type { Touched } from '../../loop/turn-context'
import { realPathOrSelf } from '../../workspace/path/real-path'
import {
  INSTRUCTION_NAMES,
  instructionText,
  mentionsInstructions,
  readInstructions,
  removedInstructions,
  type Instructions,
} from './instruction-facts'

/** Maximum characters of one such file; the project's own may be longer. */
const MAX_CHARS = 16_384
const MAX_BYTES = 1024 * 1024
/** Maximum number added at a time; the rest follow with the next step that touches something there. */
const MAX_FILES = 4

export interface NestedDeps {
  folder: string
  addedFolders: readonly string[]
  home: string
  history: readonly Message[]
  /** Marks files that agents of the conversation wrote themselves. */
  markOwn?(instructions: readonly Instructions[]): Promise<Instructions[]>
}

/**
 * A message with the instruction files of the folders between the project and the touched paths that are new to the
 * conversation or changed, most general first, and with removed ones; undefined if there are no changes. The history
 * shows what was sent, so files are sent again after a compaction removed them. Files are read under the same guard as
 * the project's own.
 */
export async function nestedInstructions(
  touched: readonly Touched[],
  { folder, addedFolders, home, history, markOwn }: NestedDeps,
): Promise<string | undefined> {
  const found: Instructions[] = []
  const removed: string[] = []
  const reminders = remindersIn(history)
  const realRoots = new Map([folder, ...addedFolders].map((root) => [root, realPathOrSelf(root)]))
  for (const { at, root } of foldersOf(touched, { folder, addedFolders })) {
    if (found.length === MAX_FILES) break
    const within = realRoots.get(root)!
    const { instructions } = readInstructions(at, { within, home, mostBytes: MAX_BYTES }, MAX_CHARS)
    if (instructions && !isTold(reminders, instructions)) found.push(instructions)
    for (const path of INSTRUCTION_NAMES.map((name) => join(at, name)))
      if (path !== instructions?.path && isActive(reminders, path)) removed.push(removedInstructions(path))
  }
  if (found.length + removed.length === 0) return undefined
  const files = (await markOwn?.(found)) ?? found
  const theirs = files.filter(({ byAgent }) => !byAgent)
  const heads = theirs.length === 0 ? [] : ['These instruction files apply to the folders you have just worked in:']
  return [
    ...removed,
    ...heads,
    ...theirs.map(instructionText),
    ...files.filter(({ byAgent }) => byAgent).map(instructionText),
  ].join('\n\n')
}

/** Each folder once, with its root: folders below the project, and added folders with those below them. */
function foldersOf(
  touched: readonly Touched[],
  { folder, addedFolders }: { folder: string; addedFolders: readonly string[] },
): { at: string; root: string }[] {
  const all = new Map<string, string>()
  for (const start of new Set(touched.map(({ path, isFolder }) => (isFolder ? path : dirname(path))))) {
    const added = addedFolders.find((each) => isIn(each, start))
    const root = isIn(folder, start) ? folder : added
    if (root === undefined) continue
    const chain: string[] = []
    for (let at = start; at !== root; at = dirname(at)) chain.unshift(at)
    if (root !== folder) chain.unshift(root)
    for (const at of chain) all.set(at, root)
  }
  return [...all].map(([at, root]) => ({ at, root }))
}

function isIn(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !/^[A-Za-z]:/.test(way))
}

/** The texts of messages that only Trestle writes, so that no tool result can be mistaken for one. */
function remindersIn(history: readonly Message[]): string[] {
  return history.flatMap((message) =>
    message.role === 'user' && message.by === 'guard' ? [textOf(message.parts)] : [],
  )
}

/** Whether the conversation contains the file's current content. */
function isTold(reminders: readonly string[], { path, text }: Instructions): boolean {
  const latest = latestMention(reminders, path)
  const isAsSaid = (file: Instructions): boolean => latest?.includes(instructionText(file)) === true
  return isAsSaid({ path, text }) || isAsSaid({ path, text, byAgent: true })
}

/** Whether the conversation contains this file and not its removal. */
function isActive(reminders: readonly string[], path: string): boolean {
  const latest = latestMention(reminders, path)
  return latest !== undefined && mentionsInstructions(latest, { path })
}

function latestMention(reminders: readonly string[], path: string): string | undefined {
  return reminders.findLast(
    (words) => mentionsInstructions(words, { path }) || words.includes(removedInstructions(path)),
  )
}
