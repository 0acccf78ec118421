import type { RuleDecision } from '../../../shared/configuration/customize/rules'
import { nearest } from '../../../shared/nearest'
import { BUILTIN_TOOLS } from '../../../shared/tool-label'
import { decodeWord } from './shell-syntax'

/**
 * A rule as written, with its location. Precedence does not depend on the scope: deny beats ask, and ask beats allow.
 */
export interface PermissionRule {
  decision: RuleDecision
  /** `Tool`, `Tool(pattern)` or `mcp__server__*`. */
  pattern: string
  scope: 'user' | 'project' | 'session'
  /** For a session rule, which is not in a file, a text instead of a path. */
  file: string
  /** Its position among the rules of its file, from 0. */
  index: number
  line?: number
  /** An allow rule for commands can let them run without a sandbox. */
  sandbox?: 'unrestricted'
  /** What is wrong with a rule that cannot be parsed. Until it is fixed, every call it might match asks. */
  mistake?: string
}

const OWNERS = { user: 'your rule', project: "the project's rule", session: 'your rule for this session,' } as const

/** How explanations name a rule: with its scope, file and line. */
export function describeRule(rule: PermissionRule): string {
  const named = `${OWNERS[rule.scope]} ${rule.decision} ${rule.pattern}`
  if (rule.scope === 'session') return named
  return `${named} (${rule.line === undefined ? rule.file : `${rule.file}:${rule.line}`})`
}

/** A parsed pattern. */
export interface ParsedPattern {
  /** The tool's name; `*` in it matches anything. */
  tool: string
  argument?: string
}

const FILE_TOOLS = ['Read', 'Write', 'Edit', 'Patch', 'apply_patch', 'ReadMediaFile', 'ListDirectory', 'Grep', 'Glob']
/** The single list of tools, so that rules can name a new one immediately. */
const TOOLS = BUILTIN_TOOLS.map(({ name }) => name)

/** Parses `Tool` or `Tool(pattern)`; `mistake` is the problem, phrased to follow the word "pattern". */
export function parsePattern(text: string): ParsedPattern | { mistake: string } {
  const match = /^([A-Za-z_*][\w*.-]*)(?:\(([\s\S]*)\))?$/.exec(text.trim())
  if (!match) return { mistake: `must be Tool, Tool(pattern) or mcp__server__*, not ${JSON.stringify(text)}` }
  const [, tool = '', argument] = match
  if (!tool.startsWith('mcp__') && !tool.includes('*') && !TOOLS.includes(tool)) {
    const [best] = nearest(tool, TOOLS, 1)
    return {
      mistake: `names the tool ${tool}, which does not exist${best === undefined ? '' : `; did you mean ${best}?`}`,
    }
  }
  if (argument === undefined) return { tool }
  if (argument.trim() === '') return { mistake: `has nothing between its parentheses; ${tool} alone means every call` }
  if (/\p{Cc}/u.test(argument)) return { mistake: 'holds a control character' }
  if (tool === 'Bash') return commandMistake(argument.trim()) ?? { tool, argument: argument.trim() }
  if (tool === 'FetchURL') return { tool, argument: argument.trim() }
  if (FILE_TOOLS.includes(tool)) return pathMistake(argument.trim()) ?? { tool, argument: argument.trim() }
  return { mistake: `cannot have parentheses: rules for ${tool} go by its name only` }
}

/** The words of a command pattern; quoted spaces do not split words. */
export function patternWords(argument: string): string[] {
  return [...argument.matchAll(/(?:[^\s'"\\]|\\.|'[^']*'|"[^"]*")+/g)].map(([word]) => unquoted(word))
}

function unquoted(word: string): string {
  return /['"\\]/.test(word) ? decodeWord(word).text : word
}

function commandMistake(argument: string): { mistake: string } | undefined {
  const bare = argument.replace(/'[^']*'|"[^"]*"|\\./g, '')
  if (/['"]/.test(bare)) return { mistake: 'has a quote that is not closed' }
  const operator = /&&|\|\||[;&|<>`]|\$\(/.exec(bare)?.[0]
  if (operator !== undefined)
    return {
      mistake: `holds "${operator}": a pattern covers one command; the commands of a line are judged separately`,
    }
  const [first = ''] = patternWords(argument)
  if (first.endsWith(':*'))
    return { mistake: `begins with "${first}": write Bash(${first.slice(0, -2)} *) for a program with any words` }
  return undefined
}

function pathMistake(argument: string): { mistake: string } | undefined {
  if (argument.startsWith('!'))
    return { mistake: 'begins with "!", which means nothing here: deny rules beat allow rules anyway' }
  return /\[[^\]]*$/.test(argument) || /\{[^}]*$/.test(argument)
    ? { mistake: 'has a bracket that is not closed' }
    : undefined
}

const kept = new WeakMap<readonly string[], readonly PermissionRule[]>()
const NONE: readonly PermissionRule[] = []

/**
 * The rules that the user allowed for a session. Returns the same objects for the same list, so that each pattern is
 * parsed once.
 */
export function sessionRules(patterns: readonly string[] | undefined): readonly PermissionRule[] {
  if (!patterns || patterns.length === 0) return NONE
  const known = kept.get(patterns)
  if (known) return known
  const rules = patterns.map((pattern, index): PermissionRule => {
    return { decision: 'allow', pattern, scope: 'session', file: 'this session', index }
  })
  kept.set(patterns, rules)
  return rules
}
