import { writesFiles } from '../paths'
import type { JudgedCall, Policy } from '../policy'
import type { CommandPart } from '../shell/command-part'

/**
 * In plan mode nothing but the plan's file can change, whatever the permission mode, a rule or an earlier answer allows. What only reads is left
 * to the other policies.
 */
export const planMode: Policy = ({ tool, call, part, plan }) => {
  if (!plan) return undefined
  const commands = call.accesses.filter((access) => access.kind === 'command')
  if (commands.length > 0) {
    if (commands.some(({ background }) => background)) return denied('nothing is started in the background.')
    return part && onlyReads(part) ? undefined : denied('Bash runs only what is known to only read.')
  }
  if (tool.annotations.readOnly && !writesFiles(call)) return undefined
  if (isPlan(call, plan.file)) return { decision: 'allow', reason: 'In plan mode the plan can be written.' }
  return denied(`nothing but the plan can change: ${plan.file}.`)
}

/** Both as written and as it is: a link to the plan, and a plan that has become a link, are something else. */
function isPlan({ accesses }: JudgedCall['call'], file: string): boolean {
  const [access, ...more] = accesses
  return more.length === 0 && access?.kind === 'file' && access.path === file && (access.written ?? file) === file
}

/** Nothing of it is hidden, and it is known to change nothing. */
export function onlyReads({ kind, paths, readOnly, neutral, steered, hidden, danger }: CommandPart): boolean {
  if (hidden !== undefined || danger !== undefined || steered) return false
  return kind === 'redirection' ? paths.length > 0 && paths.every(({ write }) => !write) : readOnly || neutral
}

function denied(why: string): ReturnType<Policy> {
  return { decision: 'deny', reason: `Plan mode is on: ${why}` }
}
