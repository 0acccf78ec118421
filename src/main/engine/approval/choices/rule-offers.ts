import { toolLabel } from '../../../../shared/tool-label'
import { judge, judgeParts } from '../policies/judge'
import type { JudgedCall, Policy } from '../rules/policy'
import { parsePattern, sessionRules } from '../../permission/permission-rule'
import type { CommandPart } from '../shell/command-part'
import type { Word } from '../../permission/shell-syntax'
import { programOf } from '../shell/unwrap'
import { commandPrefixes } from './command-prefixes'
import type { Access } from '../../tool/tool'
import type { Workspace } from '../../workspace/workspace'

/** What "always" can cover: rules, one per line, exactly as they are written when chosen. */
export interface RuleOffer {
  pattern: string
  /** What they cover; completes a label that starts with "allow". */
  label: string
}

const MAX_OFFERS = 3
const MAX_RULES = 6

/**
 * Two or three generalizations of a call that asks, narrowest first; empty when no rule could allow it. Each is tested
 * against the call, under the policies that will judge the next one, before it is offered.
 */
export function ruleOffers(policies: readonly Policy[], judged: JudgedCall): RuleOffer[] {
  const offers: RuleOffer[] = []
  for (const { patterns, label } of scopeOptions(policies, judged)) {
    const needed = judged.parts ? withoutRedundant(policies, judged, patterns) : patterns
    const pattern = needed.join('\n')
    if (needed.length === 0 || needed.length > MAX_RULES || offers.some((offer) => offer.pattern === pattern)) continue
    if (needed.every(isPattern) && grants(policies, judged, needed)) offers.push({ pattern, label })
  }
  return offers.slice(0, MAX_OFFERS)
}

function scopeOptions(policies: readonly Policy[], judged: JudgedCall): RuleScope[] {
  const { tool, call, parts, workspace } = judged
  if (parts) return combineScopes(partScopes(policies, judged))
  const files = call.accesses.filter((access) => access.kind === 'file' || access.kind === 'tree')
  if (files.length > 0 && files.length === call.accesses.length) return fileScopes(tool.name, files, workspace)
  const host =
    tool.name === 'FetchURL'
      ? call.accesses.flatMap((access) =>
          access.kind === 'network' && access.url !== undefined ? [new URL(access.url).host] : [],
        )[0]
      : undefined
  const server = /^(mcp__.+?__)./.exec(tool.name)?.[1]
  return [
    ...(host === undefined ? [] : [{ patterns: [`FetchURL(${host})`], label: `pages of ${host}` }]),
    { patterns: [tool.name], label: `every call of ${toolLabel(tool.name)}` },
    ...(server === undefined
      ? []
      : [{ patterns: [`${server}*`], label: `every tool of the server ${server.slice(5, -2)}` }]),
  ]
}

/** The generalizations of every part that asks; empty when one part has no generalization. */
function partScopes(policies: readonly Policy[], judged: JudgedCall): RuleScope[][] {
  const asked = judgeParts(policies, judged).filter(({ verdict }) => verdict.decision === 'ask')
  const scopeLists = asked.map(({ part }) =>
    part.kind === 'redirection' ? redirectionScopes(part, judged.workspace) : commandScopes(part),
  )
  return scopeLists.every((list) => list.length > 0) ? scopeLists : []
}

/** Combines lists of scopes: the first scopes of all, then the second ones. A shorter list repeats its last scope. */
function combineScopes(scopeLists: readonly RuleScope[][]): RuleScope[] {
  const longest = Math.max(0, ...scopeLists.map((list) => list.length))
  return Array.from({ length: longest }, (_, at) => {
    const level = scopeLists.flatMap((list) => list[at] ?? list.at(-1) ?? [])
    return {
      patterns: [...new Set(level.flatMap((scope) => scope.patterns))],
      label: [...new Set(level.map((scope) => scope.label))].join(' and '),
    }
  })
}

/** Drops rules that other rules cover: a rule for `sudo apt` makes one for `apt` unnecessary. */
function withoutRedundant(policies: readonly Policy[], judged: JudgedCall, patterns: readonly string[]): string[] {
  let needed = [...patterns]
  for (const pattern of patterns.toReversed()) {
    const others = needed.filter((other) => other !== pattern)
    if (others.length > 0 && grants(policies, judged, others)) needed = others
  }
  return needed
}

function grants(policies: readonly Policy[], judged: JudgedCall, patterns: readonly string[]): boolean {
  return judge(policies, { ...judged, rules: [...judged.rules, ...sessionRules(patterns)] }).decision === 'allow'
}

function isPattern(text: string): boolean {
  return !('mistake' in parsePattern(text)) && !text.includes('\n')
}

/** One generalization: rules that allow a part of a call. */
export interface RuleScope {
  patterns: string[]
  /** What they cover; completes a label that starts with "allow". */
  label: string
}

/** The exact command, then the subcommand with any arguments. */
export function commandScopes(part: CommandPart): RuleScope[] {
  if (part.words.length === 0) return []
  // Variables that affect what runs are part of the rule.
  const set = part.steered ? part.assignments : []
  const words = [...set, ...part.words]
  const known = words.findIndex((word) => !isLiteral(word))
  const scopes: RuleScope[] = []
  if (known < 0) {
    const text = ruleText(words)
    scopes.push({ patterns: [`Bash(${text})`], label: `exactly ${text}` })
  }
  // For hidden code, only the exact words can be covered.
  const general = part.hidden ? undefined : commandPrefixes(programOf(part.words), part.words)
  if (!general) return scopes
  const lengths = [...(known > set.length ? [known - set.length] : []), ...general]
  for (const length of [...new Set(lengths)].sort((a, b) => b - a)) {
    const prefix = words.slice(0, set.length + length)
    if (length > part.words.length || !prefix.every(isLiteral)) continue
    scopes.push({ patterns: [`Bash(${ruleText(prefix)} *)`], label: `${ruleText(prefix)} with anything after it` })
  }
  return scopes
}

/** Whether a pattern can match only this word: a star in it would match anything. */
function isLiteral(word: Word): boolean {
  return word.known && !word.text.includes('*') && !/\p{Cc}/u.test(word.text)
}

function ruleText(words: readonly Word[]): string {
  return words.map(({ text }) => quoted(text)).join(' ')
}

function quoted(text: string): string {
  if (text !== '' && !/[\s'"\\;&|<>`$(){}]/.test(text)) return text
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Tools with the same effect on files: permission to use one on a file covers the others. */
const CHANGING = ['Write', 'Edit', 'Patch']
/** Rules for Edit also apply to apply_patch; models that use it have neither Edit nor Patch. */
const PATCHING = ['Write', 'Edit']
const READING = ['Read', 'ReadMediaFile', 'ListDirectory', 'Grep', 'Glob']

type FileAccess = Extract<Access, { kind: 'file' | 'tree' }>

/** The file, its folder, the project: for a call that touches files. */
export function fileScopes(tool: string, accesses: readonly FileAccess[], workspace: Workspace): RuleScope[] {
  const paths = accesses.map((access) => ({
    path: access.path,
    folder: access.kind === 'tree' ? access.path : workspace.paths.path.dirname(access.path),
  }))
  const write = accesses.some((access) => access.write)
  if (tool === 'apply_patch') return scopesFor(PATCHING, paths, write, workspace)
  const tools = write ? CHANGING : READING
  return scopesFor(tools.includes(tool) ? tools : [tool], paths, write, workspace)
}

/** The same scopes for the target of a command's redirection. */
export function redirectionScopes({ paths }: CommandPart, workspace: Workspace): RuleScope[] {
  const write = paths.some((path) => path.write)
  const places = paths.map(({ realPath }) => ({ path: realPath, folder: workspace.paths.path.dirname(realPath) }))
  return places.length === 0 ? [] : scopesFor([write ? 'Write' : 'Read'], places, write, workspace)
}

function scopesFor(
  tools: readonly string[],
  places: readonly { path: string; folder: string }[],
  write: boolean,
  workspace: Workspace,
): RuleScope[] {
  const { root, paths: flavor } = workspace
  const { dirname } = flavor.path
  const verb = write ? 'changes to' : 'reading'
  const scopeOf = (paths: readonly string[], label: string): RuleScope => ({
    patterns: [...new Set(paths)].flatMap((path) => tools.map((tool) => `${tool}(${path})`)),
    label,
  })
  const folders = [...new Set(places.map(({ folder }) => folder))]
  const shown = (paths: readonly string[]): string =>
    [...new Set(paths)].map((path) => workspace.display(path)).join(', ')
  const scopes: RuleScope[] = []
  if (places.every(({ path, folder }) => path !== folder))
    scopes.push(
      scopeOf(
        places.map(({ path }) => exactGlob(path, workspace)),
        `${verb} ${shown(places.map(({ path }) => path))}`,
      ),
    )
  if (!folders.includes(root) && folders.every((folder) => dirname(folder) !== folder))
    scopes.push(
      scopeOf(
        folders.map((folder) => `${exactGlob(folder, workspace)}/**`),
        `${verb} files in ${shown(folders)}`,
      ),
    )
  if (folders.every((folder) => flavor.isWithin(folder, root)))
    scopes.push(scopeOf(['**'], `${verb} files of this project`))
  return scopes
}

/** A path as a pattern that matches only that path, relative to the project when inside it. */
function exactGlob(path: string, { root, paths }: Workspace): string {
  const [text, folder] = [paths.comparable(path), paths.comparable(root).replace(/\/$/, '')]
  const inside = text !== folder && paths.isWithin(path, root)
  const escaped = (inside ? text.slice(folder.length + 1) : text).replace(/[*?[{]/g, '[$&]')
  return inside && /^[!~]/.test(escaped) ? `./${escaped}` : escaped
}
