import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const AREAS =
  'billing catalog search shipping stock returns loyalty support audit ' +
  'reports mail media login profile cart checkout tax export import queue'
const PARTS =
  'reader writer mapper checker loader sender parser cache index list ' +
  'view form state rules events errors types client server worker'

/** Words that make the files of a tree differ, the same in every run. */
const NOUNS = ['order', 'item', 'price', 'user', 'batch', 'ticket', 'label', 'route', 'token', 'page']

/**
 * A TypeScript project of 400 files that are alike, and `special` ones among them (by path). What a task looks for is
 * in a special file; the others are what a search has to get past.
 */
export function writeGeneratedTree(project: string, special: Readonly<Record<string, string>>): void {
  const files: Record<string, string> = { 'package.json': '{ "name": "shop", "type": "module", "private": true }\n' }
  for (const [a, area] of AREAS.split(' ').entries())
    for (const [p, part] of PARTS.split(' ').entries())
      files[`src/${area}/${area}-${part}.ts`] = ordinary(area, part, a * 20 + p)
  for (const [path, text] of Object.entries({ ...files, ...special })) {
    mkdirSync(join(project, dirname(path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
}

function ordinary(area: string, part: string, n: number): string {
  const noun = NOUNS[n % NOUNS.length]!
  const other = NOUNS[(n * 7 + 3) % NOUNS.length]!
  const name = `${part}${noun[0]!.toUpperCase()}${noun.slice(1)}`
  return `import { log } from '../log.ts'

export interface ${noun[0]!.toUpperCase()}${noun.slice(1)}Of${n} {
  id: string
  ${other}: number
  closedAt?: Date
}

/** The ${part} of ${area}, for one ${noun}. */
export function ${name}(input: { id: string; ${other}: number }, timeoutMs = ${1000 + (n % 9) * 500}): string {
  if (input.${other} < 0) throw new RangeError('${other} of ${area} is below zero')
  log('${area}', '${part}', input.id, timeoutMs)
  return \`\${input.id}:\${input.${other} + ${n}}\`
}

export function ${name}s(inputs: readonly { id: string; ${other}: number }[]): string[] {
  return inputs.map((input) => ${name}(input))
}
`
}

/** `path:line` of the first line of `text` that contains `part`. */
export function locationIn(path: string, text: string, part: string): string {
  const index = text.split('\n').findIndex((line) => line.includes(part))
  if (index < 0) throw new Error(`${path} has no line with ${part}.`)
  return `${path}:${index + 1}`
}

/**
 * The `path:line` that a result of Grep gives for the line with `part`: what a scripted solution answers is what the
 * tool has found.
 */
export function foundLocation(said: string, path: string, part: string): string {
  const line = said.split(/\n|\\n/).find((each) => each.startsWith(`${path}:`) && each.includes(part))
  return /^[^:]+:\d+/.exec(line ?? '')?.[0] ?? 'It was not found.'
}

/** What is wrong with an answer whose last `path:line` has to be this one. */
export function checkLocation(answer: string, expected: string): string[] {
  const last = [...answer.matchAll(/[\w./-]+\.\w+:\d+/g)].at(-1)?.[0].replace(/^\.\//, '')
  return last === expected ? [] : [`The answer ends with ${last ?? 'no path:line'}; right is ${expected}.`]
}
