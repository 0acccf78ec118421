import type { RuleDecision } from '../../../shared/configuration/customize/rules'
import { parsePattern, type PermissionRule } from './permission-rule'

const FILE_VERBS: Readonly<Record<string, string>> = {
  Read: 'reading',
  Write: 'writing',
  Edit: 'editing',
  Patch: 'editing',
  apply_patch: 'editing',
  ReadMediaFile: 'looking at',
  ListDirectory: 'listing',
  Grep: 'searching',
  Glob: 'finding files in',
}

/** Describes the effect of a rule in a sentence for users. */
export function explainRule({
  decision,
  pattern,
  sandbox,
}: Pick<PermissionRule, 'decision' | 'pattern' | 'sandbox'>): string {
  const parsed = parsePattern(pattern)
  if ('mistake' in parsed) return 'It cannot be read, so every call that it might match asks.'
  const sentence = `${verb(decision)} ${subject(parsed)}${ending(decision)}`
  return sandbox === 'unrestricted' && decision === 'allow' ? `${sentence} It runs without a sandbox.` : sentence
}

function verb(decision: RuleDecision): string {
  return { allow: 'Allows', ask: 'Asks before', deny: 'Blocks' }[decision]
}

function ending(decision: RuleDecision): string {
  return { allow: ' without asking.', ask: ', in every mode.', deny: ', whatever else allows it.' }[decision]
}

function subject({ tool, argument }: { tool: string; argument?: string }): string {
  if (argument === undefined) return everyCall(tool)
  if (tool === 'Bash') return commands(argument)
  if (tool === 'FetchURL') return `fetching pages that match ${argument}`
  return `${FILE_VERBS[tool] ?? `${tool} on`} files that match ${argument}${place(argument)}`
}

function everyCall(tool: string): string {
  const [, server, name] = /^mcp__([^_].*?)__(.+)$/.exec(tool) ?? []
  if (server !== undefined)
    return name === '*' ? `every tool of the server ${server}` : `the tool ${name} of the server ${server}`
  if (tool === '*') return 'every tool'
  if (tool === 'Bash') return 'every command'
  return tool.includes('*') ? `every tool whose name matches ${tool}` : `every use of ${tool}`
}

function commands(argument: string): string {
  if (argument === '*') return 'every command'
  if (argument.endsWith(' *') && !argument.slice(0, -2).includes('*'))
    return `commands that begin with “${argument.slice(0, -2)}”`
  return argument.includes('*') ? `commands that match “${argument}”` : `exactly the command “${argument}”`
}

/** Where the path of a pattern starts. */
function place(argument: string): string {
  if (argument.startsWith('~') || argument.startsWith('/')) return ''
  return argument.startsWith('**') ? ' in any folder' : ' in the project'
}
