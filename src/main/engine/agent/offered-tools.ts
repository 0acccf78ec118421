import type { AgentDefinition } from '../../../shared/model/session/agent'
import type { Tool } from '../tool/tool'
import type { AgentSpec } from './agent-spec'

/** Tools only for the agent of the user's session: it is the one that talks with the user. */
const NEVER_OFFERED = ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode']

/**
 * Whether a subagent of this kind has the tool. `readOnly` may be inherited from its parent; `mayDelegate`: its depth
 * is below the limit.
 */
export function isOffered(
  { tools, excludeTools, subagents }: Pick<AgentSpec, 'tools' | 'excludeTools' | 'subagents'>,
  { name, annotations, listedOnly }: Pick<Tool, 'name' | 'annotations' | 'listedOnly'>,
  { readOnly, mayDelegate }: { readOnly: boolean; mayDelegate: boolean },
): boolean {
  if (NEVER_OFFERED.includes(name) || isNamed(excludeTools, name)) return false
  // Commands are judged one by one; other tools declare whether they are read-only.
  if (readOnly && !annotations.readOnly && name !== 'Bash') return false
  // It affects only the sender's own conversation. When D-Mails are off, it is unavailable everywhere.
  if (name === 'SendDMail') return true
  if (name === 'Agent') return mayDelegate && subagents.length > 0
  if (name === 'CreateSubagent') return mayDelegate && (tools?.includes(name) ?? false)
  return tools === undefined ? !listedOnly : isNamed(tools, name)
}

/** Whether a user's session that runs as this agent has the tool. */
export function isOfferedInSession(
  { tools, excludeTools, readOnly }: Pick<AgentDefinition, 'tools' | 'excludeTools' | 'readOnly'>,
  { name, annotations, listedOnly }: Pick<Tool, 'name' | 'annotations' | 'listedOnly'>,
): boolean {
  if (isNamed(excludeTools, name) || (readOnly && !annotations.readOnly && name !== 'Bash')) return false
  return tools === undefined ? !listedOnly : isNamed(tools, name)
}

/** Tools that replace another one for some model families also match its name. */
const TOOL_ALIASES: Readonly<Record<string, string>> = { apply_patch: 'Edit' }

/**
 * Whether a list in a spec names the tool: by name, or for tools of servers with `*` as a wildcard, as in permission
 * rules.
 */
function isNamed(names: readonly string[], tool: string): boolean {
  return names.some(
    (name) =>
      name === tool ||
      name === TOOL_ALIASES[tool] ||
      (tool.startsWith('mcp__') && name.startsWith('mcp__') && fits(name.split('*'), tool)),
  )
}

/** Whether the text consists of these parts with anything between them. */
function fits(parts: readonly string[], text: string): boolean {
  const [first = '', ...rest] = parts
  const last = rest.pop()
  if (last === undefined) return first === text
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false
  const end = text.length - last.length
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
