import { bashParser } from './bash-parser'
import { plainCommand } from './plain-command'
import { readTree } from './read-tree'
import type { ShellView } from './shell-syntax'

/** Longer commands are not looked into: parsing them would hold up everything else. */
const MOST_CHARS = 20_000
/** Carriage returns, other controls, invisible and direction characters, blanks that are none to bash. */
const UNSEEN_CHARACTERS = /(?![\t\n])\p{Cc}|(?![ \t\n])\s|\p{Cf}|[\u3164\u115f\u1160\uffa0]/u

/** What bash would run for this text. Never throws; what cannot be understood is `hidden`. */
export async function parseShell(text: string): Promise<ShellView> {
  if (UNSEEN_CHARACTERS.test(text)) return unseen('it contains control or invisible characters')
  if (/[^\s]\\\n[^\s]/.test(text)) return unseen('a word in it goes on over the end of a line')
  const plain = plainCommand(text)
  if (plain) return plain
  return parseWithTree(text)
}

/** The same without the short way; for its tests. */
export async function parseWithTree(text: string): Promise<ShellView> {
  if (text.length > MOST_CHARS) return unseen('it is too long to be looked into')
  const parser = await bashParser()
  const tree = parser.parse(text)
  if (!tree) return unseen('it cannot be parsed as a bash command')
  try {
    return readTree(tree.rootNode, text)
  } finally {
    tree.delete()
  }
}

function unseen(why: string): ShellView {
  return { segments: [], hidden: [why] }
}
