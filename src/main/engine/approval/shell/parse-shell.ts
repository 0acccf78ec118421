import { EvaluationTime, EvaluationTimeout } from '../evaluation-time'
import { bashParser } from './bash-parser'
import { plainCommand } from './plain-command'
import { readTree } from './read-tree'
import type { ShellView } from './shell-syntax'

/** Longer commands are not looked into: parsing them would hold up everything else. */
const MOST_CHARS = 20_000
/** Carriage returns, other controls, invisible and direction characters, blanks that are none to bash. */
const UNSEEN_CHARACTERS = /(?![\t\n])\p{Cc}|(?![ \t\n])\s|\p{Cf}|[\u3164\u115f\u1160\uffa0]/u

/** A larger syntax tree takes too long to be read. */
const MOST_NODES = 2000
/** The parser gets a text in pieces. */
const CHUNK_CHARS = 512

/** What bash would run for this text. What cannot be understood is `hidden`; throws `EvaluationTimeout` and nothing else. */
export async function parseShell(text: string, time = new EvaluationTime()): Promise<ShellView> {
  if (UNSEEN_CHARACTERS.test(text)) return unseen('it contains control or invisible characters')
  if (/[^\s]\\\n[^\s]/.test(text)) return unseen('a word in it goes on over the end of a line')
  const plain = plainCommand(text)
  if (plain) return plain
  return parseWithTree(text, time)
}

/** The same without the short way; for its tests. */
export async function parseWithTree(text: string, time = new EvaluationTime()): Promise<ShellView> {
  if (text.length > MOST_CHARS) return unseen('it is too long to be looked into')
  const parser = await time.waitFor(bashParser())
  await time.turn()
  let parsing = true
  let late = false
  const isLate = (): boolean => (late ||= time.left() === 0)
  // The parser looks at the time only between tokens, and can take long for one of them: then it is told that the text ends here.
  const textAt = (index: number): string => (parsing ? (isLate() ? '' : text.slice(index, index + CHUNK_CHARS)) : text.slice(index))
  const tree = parser.parse(textAt, null, { progressCallback: isLate })
  parsing = false
  if (!tree) parser.reset()
  try {
    if (late || (tree && tree.rootNode.descendantCount > MOST_NODES)) throw new EvaluationTimeout()
    if (!tree) return unseen('it cannot be parsed as a bash command')
    await time.turn()
    return readTree(tree.rootNode, text)
  } finally {
    tree?.delete()
  }
}

function unseen(why: string): ShellView {
  return { segments: [], hidden: [why] }
}
