import { randomBytes } from 'node:crypto'
import type { OpenRepository } from '../git/repository/open-repository'

const MAX_WORDS = 6
const MAX_CHARS = 40
/** Words that say nothing about the work. */
const FILLERS = new Set(
  'a an the please could you can we i my our me to of in on for with and or that this is are be it its so just now hi hello hey'.split(
    ' ',
  ),
)

/** Words of a message as part of a branch name: `Please fix the login form!` is `fix-login-form`. */
export function branchWords(text: string): string | undefined {
  const words = text
    .slice(0, 2_000)
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
  const telling = words.filter((word) => !FILLERS.has(word))
  const chosen = (telling.length > 0 ? telling : words).slice(0, MAX_WORDS)
  while (chosen.length > 1 && chosen.join('-').length > MAX_CHARS) chosen.pop()
  const name = chosen.join('-').slice(0, MAX_CHARS).toWellFormed().replaceAll('\uFFFD', '')
  return name === '' ? undefined : name
}

/** A name that no branch has, and that is not in the way of another: `a` and `a/b` cannot both be branches. */
export async function freeBranch(
  repository: Pick<OpenRepository, 'text'>,
  prefix: string,
  words: string | undefined,
): Promise<string> {
  const taken = new Set(
    (await repository.text(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads']))
      .split('\n')
      .map((name) => name.toLowerCase()),
  )
  const isFree = (name: string): boolean =>
    !taken.has(name.toLowerCase()) && ![...taken].some((other) => other.startsWith(`${name.toLowerCase()}/`))
  const stem = `${prefix}${words ?? `session-${randomBytes(3).toString('hex')}`}`
  if (isFree(stem)) return stem
  for (let number = 2; number < 1_000; number += 1) if (isFree(`${stem}-${number}`)) return `${stem}-${number}`
  return `${stem}-${randomBytes(6).toString('hex')}`
}
