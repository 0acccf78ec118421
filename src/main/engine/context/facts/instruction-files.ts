import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readGuardedText, type TextGuard } from '../../workspace/guarded-text'
import { repositoryRoot } from '../../workspace/path/repository-root'

export interface Instructions {
  path: string
  text: string
  /** Agents of this conversation wrote what it says now. */
  byAgent?: true
}

const MAX_CHARS = 32_768
const MAX_BYTES = 1024 * 1024
/** In each folder the first of these that is there. */
export const INSTRUCTION_NAMES: readonly string[] = ['AGENTS.md', 'CLAUDE.md']

/** What was found, and which files were not read: a sentence each, that begins with the path. */
export interface FoundInstructions {
  instructions: Instructions[]
  problems: string[]
}

/**
 * Instruction files for agents, the most general first: the one in `home` (TRESTLE_HOME), then from the repository's
 * top down to the project folder. In each folder AGENTS.md counts; CLAUDE.md only without an AGENTS.md. A file over 32
 * KB is cut and says so. What a project's file links to must lie in the project and must not be sensitive: it is sent
 * to the provider before the project is trusted.
 */
export async function findInstructions(home: string, folder: string): Promise<FoundInstructions> {
  const top = repositoryRoot(folder)
  const chain: string[] = []
  for (let at = folder; ; at = dirname(at)) {
    chain.unshift(at)
    if (top === undefined || at === top || dirname(at) === at) break
  }
  const within = await realpath(top ?? folder).catch(() => folder)
  const found = [
    readInstructions(home, { mostBytes: MAX_BYTES }),
    ...chain.map((at) => readInstructions(at, { within, home, mostBytes: MAX_BYTES })),
  ]
  return {
    instructions: found.flatMap(({ instructions }) => instructions ?? []),
    problems: found.flatMap(({ problems }) => problems),
  }
}

/** The instruction file of one folder, if it has one. `mostChars`: a longer one is cut. */
export function readInstructions(
  folder: string,
  guard: TextGuard,
  mostChars = MAX_CHARS,
): { instructions?: Instructions; problems: string[] } {
  const problems: string[] = []
  for (const name of INSTRUCTION_NAMES) {
    const path = join(folder, name)
    const found = readGuardedText(path, guard)
    if ('problem' in found) problems.push(`${path} is not used as instructions. ${found.problem}`)
    if (!('text' in found)) continue
    const text = found.text.replace(/^\ufeff/, '')
    if (text.trim() === '') continue
    const cut =
      text.length > mostChars
        ? `${text.slice(0, mostChars).toWellFormed()}\n[cut: the file has ${text.length} characters]`
        : text
    return { instructions: { path, text: cut }, problems }
  }
  return { problems }
}
