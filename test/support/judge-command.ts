import type { PermissionMode } from '../../src/shared/model/approval/approval'
import { checkCommand, type CheckedCommand } from '../../src/main/engine/approval/check-command'
import type { CommandSandboxes } from '../../src/main/engine/approval/rules/policy'
import type { PermissionRule } from '../../src/main/engine/permission/permission-rule'

/** Rules of the user, written as `deny Bash(rm *)`. */
export function rulesOf(...lines: string[]): PermissionRule[] {
  return lines.map((line, index) => {
    const at = line.indexOf(' ')
    return {
      decision: line.slice(0, at) as PermissionRule['decision'],
      pattern: line.slice(at + 1),
      scope: 'user',
      file: 'config.toml',
      index,
      line: index + 1,
    }
  })
}

/** Judges a command as a running turn would. */
export function judgeCommand(
  command: string,
  options: { rules?: PermissionRule[]; mode?: PermissionMode | 'plan'; cwd: string; sandboxes?: CommandSandboxes },
): Promise<CheckedCommand> {
  const { rules = [], mode = 'ask', cwd, sandboxes } = options
  return checkCommand(command, { rules, mode, cwd, home: '/home/unused/.trestle', ...(sandboxes && { sandboxes }) })
}
