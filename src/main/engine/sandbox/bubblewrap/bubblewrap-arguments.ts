import type { Mount } from '../mounts/system-mounts'

/** What a bubblewrap of ours is started with, beside its mounts. */
export interface BubblewrapOptions {
  /** Real path of a file without any permissions; mounted over hidden files. */
  emptyFile: string
  /** Folder outside that is /tmp inside. */
  temporary: string
  /** File descriptor with the seccomp filter; absent: nothing runs in it but what is ours. */
  seccompFd?: number
  /** Path to a file with the text, for settings that are passed on in part. */
  textFile(text: string): string
  /**
   * `shared`: process ids and the network are those of the caller, which has made them its own. `own`: new ones;
   * `host`: a new process list, the machine's network.
   */
  namespaces: 'shared' | 'own' | 'host'
}

/** What bubblewrap takes over for `--dev`. */
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
/**
 * Not part of a template: for a list of terminals of its own, bubblewrap puts an unprivileged user into a second user
 * namespace, and a process that enters it has no rights over the mounts.
 */
const OWN_DEVICES = ['--dev', '/dev', '--tmpfs', '/dev/shm', '--remount-ro', '/dev']
const CONFINED = ['--unshare-user', '--cap-drop', 'ALL', '--die-with-parent']

const MACHINE_SETTINGS =
  process.getuid?.() === 0 ? ['acpi', 'asound', 'driver', 'dynamic_debug', 'fs', 'mtrr', 'pressure', 'scsi', 'tty'] : []

/**
 * Starts every namespace that a command needs of its own; the files stay those of the machine. The commands run in
 * sandboxes started in it.
 */
export function namespaceArguments(network: 'own' | 'host'): string[] {
  const args = [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    '--die-with-parent',
  ]
  if (network === 'own') args.push('--unshare-net')
  return [...args, '--dev-bind', '/', '/', '--proc', '/proc']
}

/**
 * Arguments of bubblewrap for a sandbox: nothing but what is mounted here is there. No `--new-session`: the controlling
 * terminal stays, so that sudo, ssh and git can ask a person at /dev/tty. The terminal is private to the command, and
 * the seccomp filter forbids to put characters into it.
 */
export function sandboxArguments(mounts: readonly Mount[], options: BubblewrapOptions): string[] {
  const args = [...CONFINED]
  if (options.namespaces !== 'shared')
    args.push('--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try')
  if (options.namespaces === 'own') args.push('--unshare-net')
  const bound = mounts.filter(({ kind }) => kind !== 'link')
  args.push('--dir', '/tmp', '--bind', options.temporary, '/tmp')
  const readOnly: string[] = []
  for (const mount of mounts) {
    switch (mount.kind) {
      case 'read':
        args.push('--ro-bind', mount.from ?? mount.path, mount.path)
        break
      case 'write':
        args.push('--bind', mount.from ?? mount.path, mount.path)
        break
      case 'hidden':
        args.push('--ro-bind', options.emptyFile, mount.path)
        break
      case 'text':
        args.push('--ro-bind', options.textFile(mount.text), mount.path)
        break
      case 'empty':
        args.push('--tmpfs', mount.path)
        readOnly.push(mount.path)
        break
      default:
        args.push('--symlink', mount.target, mount.path)
    }
  }
  // A process list of its own needs a mount of its own; else that of the caller, which is not the machine's.
  args.push(...(options.namespaces === 'shared' ? ['--bind', '/proc', '/proc'] : ['--proc', '/proc']))
  // Settings of the machine that only its root can change, for those who are root. bubblewrap itself sees to /proc/sys
  // and a few others.
  for (const name of MACHINE_SETTINGS) args.push('--ro-bind-try', `/proc/${name}`, `/proc/${name}`)
  if (options.seccompFd === undefined)
    args.push('--dir', '/dev', ...DEVICES.flatMap((name) => ['--dev-bind', `/dev/${name}`, `/dev/${name}`]))
  else args.push(...OWN_DEVICES)
  for (const path of readOnly) if (!isCovered(path, bound)) args.push('--remount-ro', path)
  args.push('--remount-ro', '/')
  if (options.seccompFd !== undefined) args.push('--seccomp', String(options.seccompFd))
  return args
}

/** Arguments for a sandbox with all the mounts that bubblewrap finds where it is started, and these. */
export function addedArguments(mounts: readonly Mount[], seccompFd: number): string[] {
  const args = [...CONFINED, '--dev-bind', '/', '/']
  for (const mount of mounts) {
    if (mount.kind === 'read') args.push('--ro-bind', mount.from ?? mount.path, mount.path)
    else if (mount.kind === 'write') args.push('--bind', mount.from ?? mount.path, mount.path)
    else if (mount.kind === 'empty') args.push('--tmpfs', mount.path, '--remount-ro', mount.path)
    else throw new Error(`A mount of the kind ${mount.kind} cannot be added.`)
  }
  return [...args, ...OWN_DEVICES, '--seccomp', String(seccompFd)]
}

/** Whether a later mount is at the very same path: then that one decides. */
function isCovered(path: string, mounts: readonly Mount[]): boolean {
  const last = mounts.findLast((mount) => mount.path === path)
  return last?.kind !== 'empty'
}
