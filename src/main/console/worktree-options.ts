import type { NewWorktree } from '../../shared/model/project/worktree'
import { UsageError, type Parsed } from './parse-command'

/** The worktree that a new session should work in; throws a `UsageError` for options that do not fit together. */
export function worktreeOption({ values, positionals }: Parsed, command: string): NewWorktree | undefined {
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  const extra = ['branch', 'from', 'changes'].find((name) => values[name] !== undefined)
  if (values['worktree'] !== true) {
    if (extra !== undefined) throw new UsageError(`--${extra} needs --worktree.`, command)
    return undefined
  }
  const other = ['continue', 'session', 'no-project'].find(
    (name) => values[name] !== undefined && values[name] !== false,
  )
  if (other !== undefined) throw new UsageError(`--worktree and --${other} cannot be combined.`, command)
  const branch = text('branch')
  const from = text('from')
  const about = positionals[0]
  return {
    ...(branch !== undefined && { branch }),
    ...(from !== undefined && { from }),
    ...(values['changes'] === true && { changes: true }),
    ...(about !== undefined && about.trim() !== '' && { about: about.slice(0, 10_000) }),
  }
}
