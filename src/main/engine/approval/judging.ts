import { POLICIES } from './policies'
import { approvalReasons, judge } from './policies/judge'
import type { JudgedCall } from './rules/policy'
import type { PreparedCall } from '../tool/tool'
import type { Workspace } from '../workspace/workspace'

/** What calls are judged with. Loaded while the first request is under way, not before. */
export const JUDGING = { policies: POLICIES, judge, approvalReasons, commandPartsOf }

/** A command broken down into parts; undefined for a call that runs no command. */
async function commandPartsOf(call: PreparedCall, workspace: Workspace): Promise<JudgedCall['parts']> {
  const commands = call.accesses.filter((access) => access.kind === 'command')
  if (commands.length === 0) return undefined
  const { inspectCommand } = await import('./command/inspect-command')
  return (await Promise.all(commands.map(({ command, cwd }) => inspectCommand(command, cwd, workspace)))).flat()
}
