import type { Tool } from '../tool/tool'
import type { AgentSpec } from './agent-spec'

/** What only the agent of a person's session can do: it is the one that talks with the person. */
const NEVER = ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'SendDMail']

/** Whether a subagent of this kind has the tool. `readOnly` may come from one above it; `mayDelegate`: it is not too deep down. */
export function isOffered(
  { tools, excludeTools, subagents }: Pick<AgentSpec, 'tools' | 'excludeTools' | 'subagents'>,
  { name, annotations }: Pick<Tool, 'name' | 'annotations'>,
  { readOnly, mayDelegate }: { readOnly: boolean; mayDelegate: boolean },
): boolean {
  if (NEVER.includes(name) || excludeTools.includes(name)) return false
  // Commands are judged one by one; everything else says of itself what it is.
  if (readOnly && !annotations.readOnly && name !== 'Bash') return false
  if (name === 'Agent') return mayDelegate && subagents.length > 0
  if (name === 'CreateSubagent') return mayDelegate && (tools?.includes(name) ?? false)
  return tools?.includes(name) ?? true
}
