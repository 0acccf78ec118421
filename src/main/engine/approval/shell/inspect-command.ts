import { isAbsolute, join } from 'node:path'
import type { Workspace } from '../../workspace/workspace'
import type { CommandPart, TouchedPath } from './command-part'
import { dangerousCommand } from './dangerous-command'
import { evaluatedWords } from './evaluated-words'
import { hiddenOption } from './hidden-options'
import { parseShell } from './parse-shell'
import { looksProtected, protectedPath } from './protected-path'
import { readOnlyPaths } from './read-only-commands'
import type { Segment, Word } from './shell-syntax'
import { STEERING } from './steering'
import { programOf, unwrap } from './unwrap'

const DEEPEST = 8
const MOST_PARTS = 500
const MOST_FOLDERS = 16
/** Programs whose operands are changed, or (`last`) only the last one. */
const CHANGES: Readonly<Record<string, 'all' | 'last'>> = Object.assign(Object.create(null), {
  tee: 'all',
  touch: 'all',
  truncate: 'all',
  rm: 'all',
  rmdir: 'all',
  unlink: 'all',
  mv: 'all',
  chmod: 'all',
  chown: 'all',
  chgrp: 'all',
  mkdir: 'all',
  sed: 'all',
  perl: 'all',
  patch: 'all',
  ed: 'all',
  ex: 'all',
  vi: 'all',
  vim: 'all',
  nvim: 'all',
  nano: 'all',
  dd: 'all',
  curl: 'all',
  wget: 'all',
  sponge: 'all',
  shred: 'all',
  mkfifo: 'all',
  mknod: 'all',
  cp: 'last',
  install: 'last',
  ln: 'last',
  rsync: 'last',
  scp: 'last',
  sort: 'all',
  tar: 'all',
  unzip: 'all',
  split: 'all',
  gunzip: 'all',
} satisfies Record<string, 'all' | 'last'>)
/** A value that is nothing but itself, wherever it ends up. */
const PLAIN_VALUE = /^[\w.+/-]*$/
const HARMLESS =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|CI|DEBUG|NODE_ENV|RUST_LOG|RUST_BACKTRACE|COLUMNS|LINES|TERM|[a-z_][a-z0-9_]*)$/

interface Inspection {
  workspace: Workspace
  parts: CommandPart[]
  /** Where the shell may be; undefined when that cannot be known. */
  folders: string[] | undefined
  home: string
  /** A variable that decides what runs was set for the rest of the command. */
  steered: boolean
  /** See `ShellView`; over all that is nested. */
  arithmetic: boolean
  oddValue: boolean
}

/** Takes a command apart into what it does. What cannot be seen is a part of its own. Never throws. */
export async function inspectCommand(command: string, cwd: string, workspace: Workspace): Promise<CommandPart[]> {
  const inspection: Inspection = { workspace, parts: [], folders: [cwd], home: cwd, steered: false, arithmetic: false, oddValue: false }
  try {
    await script(inspection, command, 0, [])
  } catch (error) {
    unseen(inspection, command, `it could not be looked into (${error instanceof Error ? error.message : String(error)})`)
  }
  if (inspection.arithmetic && inspection.oddValue) unseen(inspection, command, 'its arithmetic runs on values that cannot be seen')
  return inspection.parts
}

function unseen(inspection: Inspection, source: string, reason: string): void {
  inspection.parts.push({ ...emptyPart(source), hidden: { reason, word: '' } })
}

function emptyPart(source: string): CommandPart {
  return { source, words: [], assignments: [], steered: false, outer: [], kind: 'run', neutral: false, readOnly: false, paths: [] }
}

async function script(inspection: Inspection, text: string, depth: number, outer: CommandPart['outer']): Promise<void> {
  if (depth > DEEPEST) return unseen(inspection, text, 'it is nested too deeply')
  const { segments, hidden, arithmetic, oddValue } = await parseShell(text)
  inspection.arithmetic ||= arithmetic === true
  inspection.oddValue ||= oddValue === true
  for (const reason of hidden) unseen(inspection, text, reason)
  if (segments.length === 0 && hidden.length === 0) inspection.parts.push({ ...emptyPart(text), neutral: true })
  // What is set anywhere may hold for what comes before it too: loops and functions.
  inspection.steered ||= segments.some((segment) => setsForAll(segment) && segment.assignments.some(({ name }) => isSteering(name)))
  inspection.steered ||= segments.some(({ words }) =>
    evaluatedWords(programOf(words), words.slice(1)).sets.some((name) => STEERING.test(name)),
  )
  for (const segment of segments) await one(inspection, segment, depth, outer)
}

function setsForAll({ words }: Segment): boolean {
  return words.length === 0 || /^(?:export|declare|typeset|local|readonly|exec)$/.test(programOf(words))
}

function isSteering(name: string): boolean {
  return STEERING.test(name) || !HARMLESS.test(name)
}

async function one(inspection: Inspection, segment: Segment, depth: number, outer: CommandPart['outer']): Promise<void> {
  if (inspection.parts.length > MOST_PARTS) return unseen(inspection, segment.source, 'it has too many parts')
  const { words } = segment
  const unwrapped = unwrap(segment)
  const steered = inspection.steered || (words.length > 0 && segment.assignments.some(({ name }) => isSteering(name)))
  const evaluated = evaluatedWords(programOf(words), words.slice(1))
  inspection.arithmetic ||= evaluated.arithmetic
  inspection.oddValue ||= evaluated.sets.length > 0 || segment.assignments.some(({ value }) => value.known && !PLAIN_VALUE.test(value.text))
  const steering = evaluated.sets.find((name) => STEERING.test(name))
  const option =
    evaluated.hidden !== undefined || steering !== undefined
      ? { reason: evaluated.hidden ?? `it sets ${steering}, which decides which programs run`, word: '' }
      : hiddenOption(words)
  const really = steered && segment.assignments.find(({ name }) => STEERING.test(name))
  const hidden =
    unwrapped.hidden !== undefined
      ? { reason: unwrapped.hidden, word: '' }
      : (option ??
        (really ? { reason: `${really.name} decides which programs run`, word: `${really.name}=${really.value.text}` } : undefined))
  const { readOnly, paths: reads } = await reading(inspection, segment)
  const targets = readOnly ? [] : await changed(inspection, words)
  const danger =
    dangerousCommand(
      words,
      targets.map(({ word, paths }) => ({ word, paths: paths.map(({ realPath }) => realPath) })),
    ) ?? protectedTarget(targets)
  inspection.parts.push({
    source: segment.source,
    words,
    assignments: segment.assignments.map(({ name, value }) => ({ text: `${name}=${value.text}`, known: value.known })),
    steered,
    outer,
    kind: 'run',
    neutral: unwrapped.neutral,
    readOnly: readOnly && !steered && !hidden,
    ...(hidden && { hidden }),
    ...(danger !== undefined && { danger }),
    paths: [...reads, ...targets.flatMap(({ paths }) => paths)],
  })
  for (const redirection of segment.redirections) await redirected(inspection, redirection.target, redirection.write)
  if (depth >= DEEPEST && (unwrapped.inner.length > 0 || unwrapped.script !== undefined))
    return unseen(inspection, segment.source, 'it is nested too deeply')
  for (const { segment: inner, at } of unwrapped.inner)
    await one(inspection, { ...inner, source: sourceOf(inner) }, depth + 1, [...outer, { words, at }])
  if (unwrapped.script !== undefined) await script(inspection, unwrapped.script, depth + 1, outer)
  if (/^(?:cd|pushd|popd)$/.test(programOf(words))) await moved(inspection, segment)
}

function sourceOf(segment: Segment): string {
  return segment.words.map((word) => word.text).join(' ')
}

async function reading(inspection: Inspection, segment: Segment): Promise<{ readOnly: boolean; paths: TouchedPath[] }> {
  if (segment.words.length === 0) return { readOnly: true, paths: [] }
  if (segment.source.startsWith('((')) return { readOnly: false, paths: [] }
  const words = readOnlyPaths(segment.words)
  if (!words) return { readOnly: false, paths: [] }
  const paths: TouchedPath[] = []
  for (const word of words) paths.push(...(await resolved(inspection, word, false)))
  const known = inspection.folders !== undefined || words.every((word) => isAbsolute(word.text) || word.tilde)
  // Another folder may hold a repository that is made to run programs.
  const elsewhere = programOf(segment.words) === 'git' && !(inspection.folders?.length === 1 && inspection.folders[0] === inspection.home)
  return { readOnly: known && !elsewhere, paths }
}

interface Changed {
  word: Word
  paths: TouchedPath[]
}

/** What a program changes, as far as its words say so. */
async function changed(inspection: Inspection, words: readonly Word[]): Promise<Changed[]> {
  const program = programOf(words)
  const which = CHANGES[program]
  const rest = words.slice(1)
  const named = rest.flatMap((word, index) => {
    const value = /^(?:--?[\w-]+=|of=|-[tod](?=[/.~]))(.+)$/.exec(word.text)?.[1]
    if (word.known && value !== undefined) return [{ word: { text: value, known: true }, write: true }]
    if (word.text.startsWith('-') && word.known) return []
    const write =
      which === 'all' ||
      (which === 'last' && (index === rest.length - 1 || /^(?:-\w*t|--target-directory)$/.test(rest[index - 1]?.text ?? '')))
    return which || /[/~.]/.test(word.text) ? [{ word, write }] : []
  })
  const targets: Changed[] = []
  for (const { word, write } of named.slice(0, 100)) {
    const lost = inspection.folders === undefined && !isAbsolute(word.text) && !word.tilde
    targets.push({ word, paths: lost ? [] : await resolved(inspection, word, write) })
  }
  return targets
}

function protectedTarget(targets: readonly Changed[]): string | undefined {
  for (const { word, paths } of targets) {
    const reason = paths.flatMap((path) => (path.write ? (protectedPath(path.realPath) ?? protectedPath(path.path) ?? []) : []))[0]
    if (reason !== undefined) return `${word.text} is ${reason}.`
    if (!word.known && paths.some((path) => path.write) && looksProtected(word.text)) return `${word.text} may be a protected file.`
  }
  return undefined
}

/** Where a word may lead, from every folder the shell may be in. */
async function resolved(inspection: Inspection, word: Word, write: boolean): Promise<TouchedPath[]> {
  if (!word.known && !word.glob) {
    if (!write || !looksProtected(word.text)) return []
    return [{ path: word.text, realPath: word.text, inside: false, sensitive: undefined, write }]
  }
  if (/^\/dev\/fd\/\d+$/.test(word.text)) return []
  // Of a glob the folder is known; the name is judged as it stands.
  const text = word.glob ? word.text.replace(/[*?[{][^/]*(?:\/.*)?$/, '') || '.' : word.text
  const paths: TouchedPath[] = []
  for (const folder of inspection.folders ?? [inspection.home]) {
    const written = word.tilde || isAbsolute(text) ? text : join(folder, text)
    paths.push({ ...(await inspection.workspace.resolve(written)), write })
    if (written === text) break
  }
  return paths
}

async function redirected(inspection: Inspection, target: Word, write: boolean): Promise<void> {
  const source = `${write ? '>' : '<'} ${target.text}`
  const relative = !isAbsolute(target.text) && !target.tilde
  if (!target.known || (relative && inspection.folders === undefined)) {
    const danger = write && looksProtected(target.text) ? `${target.text} may be a protected file.` : undefined
    inspection.parts.push({
      ...emptyPart(source),
      kind: 'redirection',
      hidden: { reason: 'which file it redirects to is only known when it runs', word: '' },
      ...(danger !== undefined && { danger }),
    })
    return
  }
  const paths = await resolved(inspection, target, write)
  const danger = protectedTarget([{ word: target, paths }])
  inspection.parts.push({ ...emptyPart(source), kind: 'redirection', paths, ...(danger !== undefined && { danger }) })
}

/** The shell goes on in another folder. In a loop or function nobody knows how often. */
async function moved(inspection: Inspection, segment: Segment): Promise<void> {
  const target = segment.words.slice(1).find((word) => !/^-[LPe@]$/.test(word.text))
  const { folders } = inspection
  const unknown =
    !folders ||
    segment.repeated ||
    programOf(segment.words) === 'popd' ||
    (target && (!target.known || target.text.startsWith('-') || target.text.startsWith('+')))
  if (unknown || inspection.steered) {
    inspection.folders = undefined
    return
  }
  const next = await resolved(inspection, target ?? { text: '~', known: true, tilde: true }, false)
  // It may fail, or run in a subshell: where it was before counts too.
  const all = [...new Set([...folders, ...next.map((path) => path.realPath)])]
  inspection.folders = all.length > MOST_FOLDERS ? undefined : all
}
