import { errorText } from '../../../../shared/error-text'
import { rewriteNul } from '../../process/find-shell'
import type { Workspace } from '../../workspace/workspace'
import { EvaluationTime, EvaluationTimeout, evaluationLimit } from '../shell/evaluation-time'
import {
  addExpression,
  isNumericWord,
  emptyArithmetic,
  type Arithmetic,
  type Segment,
  type Word,
} from '../../permission/shell-syntax'
import type { CommandPart, Effects } from '../shell/command-part'
import { dangerousCommand, isForkBomb, runsDownload } from '../dangerous/dangerous-command'
import {
  evaluatedWords,
  exportsVariables,
  isExported,
  isSteering,
  namesFile,
  setsShellVariables,
  STEERING,
} from '../shell/shell-variables'
import { hiddenOption } from '../shell/hidden-code'
import { networkUse } from '../shell/network-use'
import { parseShell } from '../shell/parse-shell'
import { protectedFile } from '../dangerous/hard-links'
import { looksProtected, protectedFolder } from '../dangerous/protected-path'
import { madeLinks, type MadeLink } from './placed-paths'
import { protectedTarget, resolveWord, touchedPaths, type Lookup } from './touched-paths'
import type { Target } from './operand-use'
import { programOf, unwrap } from '../shell/unwrap'

const MAX_DEPTH = 8
const MAX_PARTS = 500
const MAX_FOLDERS = 16
/** Time limit for resolving all globs and folders of a command, in ms. */
const DISK_MS = 12
/** A script with more words is too long to judge. */
const MAX_WORDS_IN_ALL = 1500

interface Inspection extends Lookup {
  parts: CommandPart[]
  /** A variable that affects what runs was set for the rest of the command. */
  steered: boolean
  /** All arithmetic in the command, including nested commands. */
  arithmetic: Arithmetic
  /** Variables that are assigned; `false` for those that may get a value other than a number. */
  values: Map<string, boolean>
  /** Variables that hold the number of a process started by this command. */
  children: Set<string>
  /** The target of a link that an earlier part creates to something that must not be changed unnoticed. */
  link?: string
}

/**
 * Breaks a command down into what it does. Hidden code becomes a separate part; a command that takes too long to
 * inspect asks in every mode. Never throws. Yields to other work regularly.
 */
export async function inspectCommand(
  command: string,
  cwd: string,
  workspace: Workspace,
  time = new EvaluationTime(evaluationLimit(command.length)),
): Promise<CommandPart[]> {
  const inspection: Inspection = {
    workspace,
    time,
    diskMs: DISK_MS,
    parts: [],
    folders: [cwd],
    home: cwd,
    steered: false,
    arithmetic: emptyArithmetic(),
    values: new Map(),
    texts: new Map(),
    children: new Set(),
  }
  try {
    // Normalized for judging: `nul` is a device on Windows and is rewritten in the form bash needs.
    await inspectScript(inspection, workspace.paths.platform === 'win32' ? rewriteNul(command) : command, 0, [])
  } catch (error) {
    const reason = errorText(error)
    addHiddenPart(
      inspection,
      command,
      `it could not be inspected (${reason})`,
      error instanceof EvaluationTimeout ? TOO_LONG : undefined,
    )
  }
  const download = runsDownload(inspection.parts)
  if (download) download.part.danger ??= download.reason
  if (!calculatesWithNumbers(inspection))
    addHiddenPart(inspection, command, 'its arithmetic uses values that are not plain numbers in this command')
  return inspection.parts
}

/**
 * bash evaluates the value of a variable in arithmetic, and runs the substitutions in it. Only variables that this
 * command sets to numbers, or does not set, are safe, and none that bash itself sets (`_`, `PWD`).
 */
function calculatesWithNumbers({ arithmetic, values }: Inspection): boolean {
  const names = [...arithmetic.names, ...arithmetic.sets]
  return !arithmetic.opaque && names.every((name) => !STEERING.test(name) && values.get(name) !== false)
}

function recordValue(inspection: Inspection, name: string, isNumeric: boolean): void {
  inspection.values.set(name, isNumeric && inspection.values.get(name) !== false)
}

const TOO_LONG = 'It is too long or too complex to be checked.'

function addHiddenPart(inspection: Inspection, source: string, reason: string, danger?: string): void {
  inspection.parts.push({ ...emptyPart(source), hidden: { reason, word: '' }, ...(danger !== undefined && { danger }) })
}

function emptyPart(source: string): CommandPart {
  const effects: Effects = { reads: [], writes: [], runs: [], unknown: [] }
  return {
    source,
    words: [],
    assignments: [],
    steered: false,
    outer: [],
    kind: 'run',
    neutral: false,
    readOnly: false,
    paths: [],
    effects,
  }
}

async function inspectScript(
  inspection: Inspection,
  text: string,
  depth: number,
  outer: CommandPart['outer'],
  shell?: string,
): Promise<void> {
  if (depth > MAX_DEPTH) return addHiddenPart(inspection, text, 'it is nested too deeply')
  const { segments, hidden, arithmetic, values = [] } = await parseShell(text, inspection.time, shell)
  if (segments.reduce((sum, { words }) => sum + words.length, 0) > MAX_WORDS_IN_ALL) throw new EvaluationTimeout()
  await inspection.time.yieldIfDue()
  for (const [name, isNumeric] of values) recordValue(inspection, name, isNumeric)
  if (arithmetic) {
    for (const name of arithmetic.names) inspection.arithmetic.names.add(name)
    for (const name of arithmetic.sets) inspection.arithmetic.sets.add(name)
    inspection.arithmetic.opaque ||= arithmetic.opaque
  }
  for (const reason of hidden) addHiddenPart(inspection, text, reason)
  if (depth === 0 && isForkBomb(text))
    inspection.parts.push({
      ...emptyPart(text),
      danger: 'Starts endless copies of the same program until the computer stops responding.',
    })
  for (const { assignments } of segments)
    for (const { name, value } of assignments) {
      inspection.texts.set(name, value.tilde ? value.text.replace(/^~/, '$HOME') : value.text)
      if (/^"?\$!"?$/.test(value.text)) inspection.children.add(name)
    }
  if (segments.length === 0 && hidden.length === 0) inspection.parts.push({ ...emptyPart(text), neutral: true })
  // Assignments can also affect earlier commands, through loops and functions.
  inspection.steered ||= segments.some(
    (segment) =>
      setsShellVariables(segment) &&
      segment.assignments.some(
        ({ name, value }) => namesFile(name, value) || isSteering(name, exportsVariables(segment)),
      ),
  )
  inspection.steered ||= segments.some(
    (segment) => exportsVariables(segment) && segment.words.slice(1).some((word) => isExported(word)),
  )
  inspection.steered ||= segments.some(({ words }) =>
    evaluatedWords(programOf(words), words.slice(1)).sets.some((name) => STEERING.test(name)),
  )
  for (const segment of segments) await inspectSegment(inspection, segment, depth, outer, shell)
}

async function inspectSegment(
  inspection: Inspection,
  segment: Segment,
  depth: number,
  outer: CommandPart['outer'],
  shell: string | undefined,
): Promise<void> {
  if (inspection.parts.length > MAX_PARTS)
    return addHiddenPart(inspection, segment.source, 'it has too many parts', TOO_LONG)
  await inspection.time.yieldIfDue()
  const { words } = segment
  const unwrapped = unwrap(segment)
  const steered =
    inspection.steered ||
    (words.length > 0 &&
      segment.assignments.some(({ name, value }) => namesFile(name, value) || isSteering(name, true)))
  const evaluated = evaluatedWords(programOf(words), words.slice(1))
  for (const expression of evaluated.expressions) addExpression(inspection.arithmetic, expression)
  const sets = evaluated.sets.filter((name) => !segment.assignments.some((assignment) => assignment.name === name))
  for (const name of sets) recordValue(inspection, name, false)
  // The parser does not know what a wrapper sets (`env x=1`); it handles all other assignments.
  if (depth > 0) for (const { name, value } of segment.assignments) recordValue(inspection, name, isNumericWord(value))
  const steering = sets.find((name) => STEERING.test(name))
  const option =
    evaluated.hidden !== undefined || steering !== undefined
      ? { reason: evaluated.hidden ?? `it sets ${steering}, which changes what the shell or its programs do`, word: '' }
      : hiddenOption(words)
  const really = steered && segment.assignments.find(({ name }) => STEERING.test(name))
  const hidden =
    unwrapped.hidden !== undefined
      ? { reason: unwrapped.hidden, word: '' }
      : (option ??
        (really
          ? {
              reason: `${really.name} changes what the shell or its programs do`,
              word: `${really.name}=${really.value.text}`,
            }
          : undefined))
  const { readOnly, targets, problem } = await touchedPaths(inspection, segment)
  const danger =
    dangerousCommand(words, {
      targets: targets.map(({ word, paths }) => ({ word, paths: paths.map(({ realPath }) => realPath) })),
      workspace: inspection.workspace,
      children: inspection.children,
    }) ??
    protectedTarget(targets, inspection, REPLACES.test(programOf(words))) ??
    writeThroughLink(inspection, targets) ??
    linkTarget(inspection, madeLinks(words, targets))
  const paths = targets.flatMap((target) => target.paths)
  const sends = networkUse(words)
  inspection.parts.push({
    source: segment.source,
    words,
    assignments: segment.assignments.map(({ name, value }) => ({ text: `${name}=${value.text}`, known: value.known })),
    steered,
    outer,
    kind: 'run',
    neutral: unwrapped.neutral,
    readOnly: readOnly && !steered && !hidden && sends === undefined,
    ...(hidden && { hidden }),
    ...(danger !== undefined && { danger }),
    ...(problem !== undefined && { problem }),
    paths,
    effects: {
      reads: paths.filter(({ write }) => !write),
      writes: paths.filter(({ write, unsure }) => write || unsure === true),
      ...(sends && { sends }),
      runs: words.length > 0 ? [programOf(words)] : [],
      unknown: [...(hidden ? [hidden.reason] : []), ...targets.flatMap(({ problem }) => problem ?? [])],
    },
  })
  for (const redirection of segment.redirections)
    await inspectRedirection(inspection, redirection.target, redirection.write)
  // In a terminal, which every command has, nohup appends the output to this file.
  if (programOf(words) === 'nohup' && !segment.redirections.some(({ write }) => write))
    await inspectRedirection(inspection, { text: 'nohup.out', known: true }, true)
  if (depth >= MAX_DEPTH && (unwrapped.inner.length > 0 || unwrapped.script !== undefined))
    return addHiddenPart(inspection, segment.source, 'it is nested too deeply')
  for (const { segment: inner, at } of unwrapped.inner)
    await inspectSegment(inspection, { ...inner, source: sourceOf(inner) }, depth + 1, [...outer, { words, at }], shell)
  if (unwrapped.script !== undefined)
    await inspectScript(inspection, unwrapped.script, depth + 1, outer, unwrapped.shell ?? shell)
  if (/^(?:cd|pushd|popd)$/.test(programOf(words))) await trackFolder(inspection, segment)
}

/** Programs that can replace or remove an entire folder. */
const REPLACES = /^(?:g?(?:cp|mv|ln|install|rm)|rsync|git|rmdir|shred)$/

/**
 * Why a link is dangerous. A hard link is another name for the file that later commands cannot recognize. A symbolic
 * link is followed when later commands are judged, but not for later parts of the same command, because it does not
 * exist yet.
 */
function linkTarget(inspection: Inspection, links: readonly MadeLink[]): string | undefined {
  const { workspace } = inspection
  for (const { word, paths, isHard } of links) {
    const risky = paths.find(
      ({ realPath, inside }) =>
        !inside ||
        protectedFile(realPath, workspace) !== undefined ||
        protectedFolder(realPath, workspace.paths) !== undefined,
    )
    if (!risky) continue
    inspection.link ??= word.text
    if (isHard) return `Makes ${word.text} known under another name: what is written there later changes it.`
  }
  return undefined
}

function writeThroughLink({ link }: Inspection, targets: readonly Target[]): string | undefined {
  if (link === undefined || !targets.some(({ paths }) => paths.some(({ write }) => write))) return undefined
  return `Makes a link to ${link} first, so what it writes may change something there.`
}

function sourceOf(segment: Segment): string {
  return segment.words.map((word) => word.text).join(' ')
}

async function inspectRedirection(inspection: Inspection, target: Word, write: boolean): Promise<void> {
  const source = `${write ? '>' : '<'} ${target.text}`
  const relative = !inspection.workspace.paths.isAbsolute(target.text) && !target.tilde
  if (!target.known || (relative && inspection.folders === undefined)) {
    const danger =
      write && looksProtected(target.text, inspection.texts)
        ? `May change a protected file: ${target.text}.`
        : undefined
    inspection.parts.push({
      ...emptyPart(source),
      kind: 'redirection',
      hidden: { reason: 'which file it redirects to is only known when it runs', word: '' },
      ...(danger !== undefined && { danger }),
    })
    return
  }
  const { paths } = await resolveWord(inspection, target, write)
  const targets = [{ word: target, paths }]
  const danger = protectedTarget(targets, inspection) ?? writeThroughLink(inspection, targets)
  const effects: Effects = { reads: write ? [] : paths, writes: write ? paths : [], runs: [], unknown: [] }
  inspection.parts.push({
    ...emptyPart(source),
    kind: 'redirection',
    paths,
    effects,
    ...(danger !== undefined && { danger }),
  })
}

/** The shell changes to another folder; in a loop or function, how often is unknown. */
async function trackFolder(inspection: Inspection, segment: Segment): Promise<void> {
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
  const { paths: next } = await resolveWord(inspection, target ?? { text: '~', known: true, tilde: true }, false)
  // `cd` may fail or run in a subshell, so the previous folder remains possible.
  const all = [...new Set([...folders, ...next.map((path) => path.realPath)])]
  inspection.folders = all.length > MAX_FOLDERS ? undefined : all
}
