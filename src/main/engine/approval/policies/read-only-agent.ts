import { writesFiles } from '../paths'
import type { Policy } from '../policy'
import { onlyReads } from './plan-mode'

/** A read-only agent stays one, whatever rules, modes and answers say: nothing but tools that only read, and commands that plainly only read. */
export const readOnlyAgent: Policy = ({ readOnlyAgent: type, tool, call, part }) => {
  if (type === undefined) return undefined
  const deny = (what: string) => ({ decision: 'deny' as const, reason: `The agent ${type} may only read, and ${what}.` })
  if (!part) return tool.annotations.readOnly && !writesFiles(call) ? undefined : deny(`${tool.name} can change something`)
  return onlyReads(part) ? undefined : deny(`${part.words[0]?.text ?? 'this'} is not known to only read`)
}
