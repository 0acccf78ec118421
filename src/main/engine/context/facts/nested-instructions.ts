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

/** Characters of one such file; the ones of the project itself may be longer. */
const MAX_CHARS = 16_384
const MAX_BYTES = 1024 * 1024
/** Maximum number added at once; the rest follow with the next step that touches something there. */
const MAX_FILES = 4

export interface NestedDeps {
  folder: string
  addedFolders: readonly string[]
  home: string
  history: readonly Message[]
  /** Marks what agents of the conversation have written themselves. */
  markOwn?(instructions: readonly Instructions[]): Promise<Instructions[]>
}

/**
 * The message with the instruction files of the folders between the project and what was touched, those that the
 * conversation does not hold as they are now, the most general first, and which of them are gone; undefined when there
 * is nothing to say. What was sent is read from the history: it is sent again after a compaction removed it. Files are
 * read under the same guard as the project's own.
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
      if (path !== instructions?.path && isInForce(reminders, path)) removed.push(removedInstructions(path))
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

/** Each folder once, with the root it is in: below the project, and added folders with what is below them. */
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

/** The texts of the messages that only Trestle writes, so nothing a tool returned can pass for one. */
function remindersIn(history: readonly Message[]): string[] {
  return history.flatMap((message) =>
    message.role === 'user' && message.by === 'guard' ? [textOf(message.parts)] : [],
  )
}

/** Whether the conversation holds what the file says now. */
function isTold(reminders: readonly string[], { path, text }: Instructions): boolean {
  const latest = latestMention(reminders, path)
  const isAsSaid = (file: Instructions): boolean => latest?.includes(instructionText(file)) === true
  return isAsSaid({ path, text }) || isAsSaid({ path, text, byAgent: true })
}

/** Whether the conversation holds a file of this path, and not that it is gone. */
function isInForce(reminders: readonly string[], path: string): boolean {
  const latest = latestMention(reminders, path)
  return latest !== undefined && mentionsInstructions(latest, { path })
}

function latestMention(reminders: readonly string[], path: string): string | undefined {
  return reminders.findLast(
    (words) => mentionsInstructions(words, { path }) || words.includes(removedInstructions(path)),
  )
}
