import type { AgentDefinition } from '../../../shared/model/agent'
import type { Tool } from '../tool/tool'
import type { AgentSpec } from './agent-spec'

/** What only the agent of a person's session can do: it is the one that talks with the person. */
const NEVER_OFFERED = ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode']

/** Whether a subagent of this kind has the tool. `readOnly` may come from one above it; `mayDelegate`: it is not too deep down. */
export function isOffered(
  { tools, excludeTools, subagents }: Pick<AgentSpec, 'tools' | 'excludeTools' | 'subagents'>,
  { name, annotations }: Pick<Tool, 'name' | 'annotations'>,
  { readOnly, mayDelegate }: { readOnly: boolean; mayDelegate: boolean },
): boolean {
  if (NEVER_OFFERED.includes(name) || isNamed(excludeTools, name)) return false
  // Commands are judged one by one; everything else says of itself what it is.
  if (readOnly && !annotations.readOnly && name !== 'Bash') return false
  // It concerns only the conversation of whoever sends it; where D-Mails are off it is not offered at all.
  if (name === 'SendDMail') return true
  if (name === 'Agent') return mayDelegate && subagents.length > 0
  if (name === 'CreateSubagent') return mayDelegate && (tools?.includes(name) ?? false)
  return tools === undefined || isNamed(tools, name)
}

/** Whether a person's session that runs as this agent has the tool. */
export function isOfferedInSession(
  { tools, excludeTools, readOnly }: Pick<AgentDefinition, 'tools' | 'excludeTools' | 'readOnly'>,
  { name, annotations }: Pick<Tool, 'name' | 'annotations'>,
): boolean {
  if (isNamed(excludeTools, name) || (readOnly && !annotations.readOnly && name !== 'Bash')) return false
  return tools === undefined || isNamed(tools, name)
}

/** What models of some families have in place of a tool goes by its name, too. */
const TOOL_ALIASES: Readonly<Record<string, string>> = { apply_patch: 'Edit' }

/** Whether a list of a spec names the tool: as it is called, or one of a server with `*` for anything in the name, as in rules of permission. */
function isNamed(names: readonly string[], tool: string): boolean {
  return names.some(
    (name) =>
      name === tool ||
      name === TOOL_ALIASES[tool] ||
      (tool.startsWith('mcp__') && name.startsWith('mcp__') && fits(name.split('*'), tool)),
  )
}

/** Whether a text is these parts, with anything between them. */
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
