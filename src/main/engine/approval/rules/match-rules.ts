import type { JudgedCall } from './policy'
import { globMatcher } from '../../workspace/path/glob-matcher'
import type { CommandPart, TouchedPath } from '../shell/command-part'
import type { Word } from '../../permission/shell-syntax'
import { matchesAllowPattern, matchesDenyPattern, type Match } from './word-patterns'
import { parsePattern, patternWords, type ParsedPattern, type PermissionRule } from '../../permission/permission-rule'
import { urlGlob, pathGlob, type PathTest } from './target-patterns'

/** What may precede the path in one word: `--output=`, `of=`, `-o`. */
const OPTION_WITH = /^(?:--?[\w-]+=|[a-z]+=|-\w)$/

/** Parsing is pure and rules are long-lived, so each pattern is parsed once. */
const parsed = new WeakMap<PermissionRule, ParsedPattern | undefined>()

function patternOf(rule: PermissionRule): ParsedPattern | undefined {
  if (!parsed.has(rule)) {
    const pattern = rule.mistake === undefined ? parsePattern(rule.pattern) : undefined
    parsed.set(rule, pattern && 'tool' in pattern ? pattern : undefined)
  }
  return parsed.get(rule)
}

/** Whether a rule denies commands or asks about some of them. */
export function restrictsCommands(rule: PermissionRule): boolean {
  const pattern = patternOf(rule)
  return rule.decision !== 'allow' && pattern !== undefined && nameMatches(pattern.tool, 'Bash')
}

/** The first rule with this decision that matches the call (or the judged part of it); certain matches come first. */
export function restrictingRule(
  judged: JudgedCall,
  decision: 'deny' | 'ask',
): { rule: PermissionRule; match: 'yes' | 'maybe' } | undefined {
  let perhaps: PermissionRule | undefined
  for (const rule of judged.rules) {
    if (rule.decision !== decision) continue
    judged.time?.check()
    const pattern = patternOf(rule)
    const match = pattern ? restricts(pattern, judged) : 'no'
    if (match === 'yes') return { rule, match }
    if (match === 'maybe') perhaps ??= rule
  }
  return perhaps && { rule: perhaps, match: 'maybe' }
}

/**
 * The first rule, of any scope, that allows the call (or the judged part) with all its files; with `naming`, only a
 * rule that contains this exact word.
 */
export function allowingRule(judged: JudgedCall, naming?: string): PermissionRule | undefined {
  const { accesses } = judged.call
  if (judged.tool.name !== 'apply_patch' || accesses.length < 2) return allowingOne(judged, naming)
  // Its files may be in different locations, each of which needs a rule.
  const rules = accesses.map((access) =>
    allowingOne({ ...judged, call: { ...judged.call, accesses: [access] } }, naming),
  )
  return rules.every((rule) => rule !== undefined) ? rules[0] : undefined
}

function allowingOne(judged: JudgedCall, naming: string | undefined): PermissionRule | undefined {
  return judged.rules.find((rule) => {
    if (rule.decision !== 'allow') return false
    judged.time?.check()
    const pattern = patternOf(rule)
    return pattern !== undefined && allows(pattern, judged, naming)
  })
}

/** The first rule that allows every call of exactly this tool: it names the tool without a wildcard. */
export function ruleNamingTool({ rules, tool }: JudgedCall): PermissionRule | undefined {
  return rules.find((rule) => {
    const pattern = rule.decision === 'allow' ? patternOf(rule) : undefined
    return pattern?.tool === tool.name && pattern.argument === undefined
  })
}

/** Every rule that matches the call (or the judged part of it), whether or not it decides. */
export function matchingRules(judged: JudgedCall): PermissionRule[] {
  return judged.rules.filter((rule) => {
    const alone = { ...judged, rules: [rule] }
    return rule.decision === 'allow'
      ? allowingRule(alone) !== undefined
      : restrictingRule(alone, rule.decision) !== undefined
  })
}

/** Rules for these tools also apply to apply_patch, which does what each of them does. */
const EDITING = ['Edit', 'Write', 'Patch']

/** Whether a rule with this tool name applies to calls of the tool. */
function governs(pattern: string, tool: string): boolean {
  return nameMatches(pattern, tool) || (tool === 'apply_patch' && EDITING.some((name) => nameMatches(pattern, name)))
}

/** Whether a tool name in a pattern matches this tool; `*` in it matches anything. */
function nameMatches(pattern: string, name: string): boolean {
  return pattern.includes('*') ? globMatcher(pattern, { starOnly: true }).matches(name) : pattern === name
}

function restricts({ tool, argument }: ParsedPattern, judged: JudgedCall): Match {
  const { part, tool: called } = judged
  if (governs(tool, called.name)) {
    if (argument === undefined) return 'yes'
    if (part) return part.words.length === 0 ? 'no' : matchesDenyPattern(patternWords(argument), part.words)
    if (addressesOf(judged).some(urlGlob(argument, { broad: true }))) return 'yes'
    const meant = globFor(judged, argument, true)
    return pathsWithAliases(judged).some((paths) => paths.some((path) => meant.matches(path))) ? 'yes' : 'no'
  }
  return part && argument !== undefined ? restrictsEffects(tool, argument, part, judged) : 'no'
}

/** Rules for Read, Write and the other tools also apply to what commands do. */
function restrictsEffects(tool: string, argument: string, part: CommandPart, judged: JudgedCall): Match {
  if (nameMatches(tool, 'FetchURL')) return restrictsHosts(argument, part)
  const reading = nameMatches(tool, 'Read') || nameMatches(tool, 'Grep')
  const writing = nameMatches(tool, 'Write') || nameMatches(tool, 'Edit')
  if (!reading && !writing) return 'no'
  const meant = globFor(judged, argument, true)
  let match: Match = 'no'
  for (const touched of part.paths) {
    const found = restrictsPath(
      touched,
      { reading: reading && (!touched.write || part.kind === 'run'), writing },
      meant,
    )
    if (found === 'yes') return found
    if (found === 'maybe') match = found
  }
  return match
}

function restrictsPath(
  { path, realPath, write, unsure, tree }: TouchedPath,
  { reading, writing }: { reading: boolean; writing: boolean },
  meant: PathTest,
): Match {
  const certain = reading || (writing && write)
  if (!certain && !(writing && unsure)) return 'no'
  if (meant.matches(path) || meant.matches(realPath)) return certain ? 'yes' : 'maybe'
  if (!tree || !(meant.mayMatchBelow(path) || meant.mayMatchBelow(realPath))) return 'no'
  // Only names are listed: rules about contents do not apply.
  if (!tree.files) return 'no'
  if (tree.files.some((file) => meant.matches(file))) return certain ? 'yes' : 'maybe'
  return tree.problem === undefined ? 'no' : 'maybe'
}

/** A rule about web pages applies to the hosts that a command connects to. */
function restrictsHosts(argument: string, { effects: { sends } }: CommandPart): Match {
  if (!sends) return 'no'
  const meant = urlGlob(argument.replace(/^([a-z]+:\/\/[^/]+).*$/i, '$1'), { broad: true })
  if (sends.hosts.some((host) => meant(`https://${host}/`) || meant(`http://${host}/`)))
    return argument.includes('://') ? 'maybe' : 'yes'
  return sends.unknown ? 'maybe' : 'no'
}

function allows({ tool, argument }: ParsedPattern, judged: JudgedCall, naming: string | undefined): boolean {
  const { part, tool: called } = judged
  if (part?.kind === 'redirection')
    return naming === undefined && !part.hidden && allowsRedirection(tool, argument, part, judged)
  if (!governs(tool, called.name)) return false
  if (argument === undefined) return naming === undefined && !part?.steered
  if (part) return allowsPart(patternWords(argument), part, naming)
  const addresses = addressesOf(judged)
  if (addresses.length > 0) return addresses.every(urlGlob(argument))
  const paths = pathsWithAliases(judged)
  const meant = globFor(judged, argument)
  return paths.length > 0 && paths.every((each) => each.every((path) => meant.matches(path)))
}

function allowsRedirection(tool: string, argument: string | undefined, part: CommandPart, judged: JudgedCall): boolean {
  const glob = argument === undefined ? undefined : globFor(judged, argument)
  const meant = (path: string): boolean => glob?.matches(path) ?? true
  return (
    part.paths.length > 0 &&
    part.paths.every(
      ({ path, realPath, write }) => nameMatches(tool, write ? 'Write' : 'Read') && meant(path) && meant(realPath),
    )
  )
}

/**
 * Whether an allow rule covers this exact path for a command: by a word without wildcards, or as a rule for files.
 * Rules cover the words of a command, but not files that it writes outside the project.
 */
export function namingRule(judged: JudgedCall, touched: TouchedPath): PermissionRule | undefined {
  const { part } = judged
  return judged.rules.find((rule) => {
    const pattern = rule.decision === 'allow' ? patternOf(rule) : undefined
    if (!part || pattern?.argument === undefined) return false
    if (nameMatches(pattern.tool, touched.write ? 'Write' : 'Read')) {
      const meant = globFor(judged, pattern.argument)
      return meant.matches(touched.path) && meant.matches(touched.realPath)
    }
    const { sourceWord } = touched
    if (sourceWord === undefined || !allows(pattern, judged, undefined)) return false
    return patternWords(pattern.argument).some(
      (token) =>
        token === sourceWord ||
        (!token.includes('*') && OPTION_WITH.test(token.slice(0, -sourceWord.length)) && token.endsWith(sourceWord)),
    )
  })
}

function allowsPart(pattern: readonly string[], part: CommandPart, naming: string | undefined): boolean {
  const names = (words: readonly Word[]): boolean =>
    naming === undefined ||
    pattern.some((token, index) => token === naming && words.some((word) => word.text === token) && index >= 0)
  const full = [...part.assignments, ...part.words]
  if (names(full) && matchesAllowPattern(pattern, part.assignments.length > 0 ? full : part.words)) return true
  if (names(part.words) && !part.steered && matchesAllowPattern(pattern, part.words)) return true
  // A rule that names both the wrapper and its program, such as "xargs rm *".
  return (
    naming === undefined &&
    !part.steered &&
    part.outer.some(
      ({ words, at }) => pattern.length > at && pattern[at] !== '*' && matchesAllowPattern(pattern, words),
    )
  )
}

/** The paths that a file pattern matches in the call's project. */
function globFor({ workspace: { root, userHome, paths } }: JudgedCall, pattern: string, broad = false): PathTest {
  return pathGlob(pattern, root, { broad, home: userHome, paths })
}

/** The pages a call requests. */
function addressesOf({ call }: JudgedCall): string[] {
  return call.accesses.flatMap((access) => (access.kind === 'network' && access.url !== undefined ? [access.url] : []))
}

/** For each file or tree of the call: its real path, and the path as the model wrote it. */
function pathsWithAliases({ call }: JudgedCall): string[][] {
  return call.accesses.flatMap((access) =>
    access.kind === 'file' || access.kind === 'tree'
      ? [[access.path, ...(access.written === undefined ? [] : [access.written])]]
      : [],
  )
}
