import { execFileSync, spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { join } from 'node:path'

const UNPRIVILEGED = 65_534

/**
 * A command prefix that limits a program's changes on this machine to `folder`, in case the code under test fails:
 * another user if this one is root, and a read-only file system if bubblewrap is installed.
 */
export function containment(folder: string): string[] {
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? ['setpriv', `--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, '--clear-groups', '--'] : []
  if (isRoot) execFileSync('chown', ['-R', `${UNPRIVILEGED}:${UNPRIVILEGED}`, folder])
  // This checkout, even if it is in /tmp.
  const checkout = join(import.meta.dirname, '../../..')
  const program = ['--ro-bind', checkout, checkout]
  const jail = [
    'bwrap',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--tmpfs',
    '/tmp',
    ...program,
    '--bind',
    folder,
    folder,
  ]
  const whole = [...user, ...jail, '--unshare-pid', '--die-with-parent', '--']
  return succeeds([...whole, 'true']) ? whole : user
}

/** Gives new files in the folder to the contained user. */
export function handOver(folder: string): void {
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', `${UNPRIVILEGED}:${UNPRIVILEGED}`, folder])
}

/** Whether commands can be sandboxed here: bubblewrap is installed, and user namespaces are enabled. */
export function canSandbox(): boolean {
  return succeeds(['bwrap', '--ro-bind', '/', '/', '--unshare-user', '--unshare-pid', '--', 'true'])
}

function succeeds([program = '', ...args]: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

export function spawnContained(
  prefix: readonly string[],
  words: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): ChildProcessWithoutNullStreams {
  const [program = '', ...args] = [...prefix, ...words]
  return spawn(program, args, { ...options, stdio: 'pipe' })
}
