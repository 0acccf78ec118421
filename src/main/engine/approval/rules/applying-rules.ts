import type { JudgedCall } from '../policy'
import type { CommandPart } from '../shell/command-part'
import type { Word } from '../shell/shell-syntax'
import { allowsWords, catchesWords, type Match } from './match-words'
import { parsePattern, patternWords, type ParsedPattern } from './parse-pattern'
import { webGlob } from './match-web'
import { pathGlob } from './path-glob'
import type { PermissionRule } from './permission-rule'

/** Parsing is pure and rules live long, so each pattern is taken apart once. */
const parsed = new WeakMap<PermissionRule, ParsedPattern | undefined>()

function patternOf(rule: PermissionRule): ParsedPattern | undefined {
  if (!parsed.has(rule)) {
    const pattern = rule.mistake === undefined ? parsePattern(rule.pattern) : undefined
    parsed.set(rule, pattern && 'tool' in pattern ? pattern : undefined)
  }
  return parsed.get(rule)
}

/** Whether a rule denies commands, or wants to be asked about some. */
export function restrictsCommands(rule: PermissionRule): boolean {
  const pattern = patternOf(rule)
  return rule.decision !== 'allow' && pattern !== undefined && nameMatches(pattern.tool, 'Bash')
}

/** The first rule of this decision that the call (or the judged part of it) runs into; certain matches first. */
export function catchingRule(judged: JudgedCall, decision: 'deny' | 'ask'): { rule: PermissionRule; match: 'yes' | 'maybe' } | undefined {
  let perhaps: PermissionRule | undefined
  for (const rule of judged.rules) {
    if (rule.decision !== decision) continue
    const pattern = patternOf(rule)
    const match = pattern ? catches(pattern, judged) : 'no'
    if (match === 'yes') return { rule, match }
    if (match === 'maybe') perhaps ??= rule
  }
  return perhaps && { rule: perhaps, match: 'maybe' }
}

/** The first rule, of any scope, that allows the call (or the judged part); with `naming` only one that has this very word. */
export function allowingRule(judged: JudgedCall, naming?: string): PermissionRule | undefined {
  return judged.rules.find((rule) => {
    if (rule.decision !== 'allow') return false
    const pattern = patternOf(rule)
    return pattern !== undefined && allows(pattern, judged, naming)
  })
}

function nameMatches(pattern: string, name: string): boolean {
  return new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[.-]/g, '\\$&'))
      .join('.*')}$`,
    's',
  ).test(name)
}

function catches({ tool, argument }: ParsedPattern, judged: JudgedCall): Match {
  const { part, tool: called } = judged
  if (nameMatches(tool, called.name)) {
    if (argument === undefined) return 'yes'
    if (part) return part.words.length === 0 ? 'no' : catchesWords(patternWords(argument), part.words)
    if (addressesOf(judged).some(webGlob(argument, { broad: true }))) return 'yes'
    return pathsOfCall(judged).some((paths) => paths.some(pathGlob(argument, judged.workspace.root, { broad: true }))) ? 'yes' : 'no'
  }
  return part && argument !== undefined ? catchesTouched(tool, argument, part, judged.workspace.root) : 'no'
}

/** Rules for Read and Write hold for what commands redirect and name, too. */
function catchesTouched(tool: string, argument: string, part: CommandPart, root: string): Match {
  const meant = pathGlob(argument, root, { broad: true })
  const touched = part.paths.some(({ path, realPath, write }) => {
    const reads = nameMatches(tool, 'Read') && (!write || part.kind === 'run')
    return (reads || (write && (nameMatches(tool, 'Write') || nameMatches(tool, 'Edit')))) && (meant(path) || meant(realPath))
  })
  return touched ? 'yes' : 'no'
}

function allows({ tool, argument }: ParsedPattern, judged: JudgedCall, naming: string | undefined): boolean {
  const { part, tool: called } = judged
  if (part?.kind === 'redirection')
    return naming === undefined && !part.hidden && allowsRedirection(tool, argument, part, judged.workspace.root)
  if (!nameMatches(tool, called.name)) return false
  if (argument === undefined) return naming === undefined && !part?.steered
  if (part) return allowsPart(patternWords(argument), part, naming)
  const addresses = addressesOf(judged)
  if (addresses.length > 0) return addresses.every(webGlob(argument))
  const paths = pathsOfCall(judged)
  return paths.length > 0 && paths.every((each) => each.every(pathGlob(argument, judged.workspace.root)))
}

function allowsRedirection(tool: string, argument: string | undefined, part: CommandPart, root: string): boolean {
  const meant = argument === undefined ? () => true : pathGlob(argument, root)
  return (
    part.paths.length > 0 &&
    part.paths.every(({ path, realPath, write }) => nameMatches(tool, write ? 'Write' : 'Read') && meant(path) && meant(realPath))
  )
}

function allowsPart(pattern: readonly string[], part: CommandPart, naming: string | undefined): boolean {
  const names = (words: readonly Word[]): boolean =>
    naming === undefined || pattern.some((token, index) => token === naming && words.some((word) => word.text === token) && index >= 0)
  const full = [...part.assignments, ...part.words]
  if (names(full) && allowsWords(pattern, part.assignments.length > 0 ? full : part.words)) return true
  if (names(part.words) && !part.steered && allowsWords(pattern, part.words)) return true
  // A rule that names the wrapper and the program in it, as in "xargs rm *".
  return (
    naming === undefined &&
    !part.steered &&
    part.outer.some(({ words, at }) => pattern.length > at && pattern[at] !== '*' && allowsWords(pattern, words))
  )
}

/** The pages a call asks for. */
function addressesOf({ call }: JudgedCall): string[] {
  return call.accesses.flatMap((access) => (access.kind === 'network' && access.url !== undefined ? [access.url] : []))
}

/** Per file or tree of the call: its real path, and as the model wrote it. */
function pathsOfCall({ call }: JudgedCall): string[][] {
  return call.accesses.flatMap((access) =>
    access.kind === 'file' || access.kind === 'tree' ? [[access.path, ...(access.written === undefined ? [] : [access.written])]] : [],
  )
}
