import type { Mount } from '../mounts/system-mounts'

/** Options for a bubblewrap process, in addition to its mounts. */
export interface BubblewrapOptions {
  /** Real path of a file without any permissions; mounted over hidden files. */
  emptyFile: string
  /** Folder outside that is mounted as /tmp inside. */
  temporary: string
  /** File descriptor of the seccomp filter. Absent when only our own code runs in the sandbox. */
  seccompFd?: number
  /** Path of a file with this text, for settings of which commands see only a part. */
  textFile(text: string): string
  /**
   * `shared`: uses the pid and network namespaces of the caller, which has created its own. `own`: creates new ones.
   * `host`: a new pid namespace, the machine's network.
   */
  namespaces: 'shared' | 'own' | 'host'
}

/** The devices that bubblewrap's `--dev` provides. */
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
/**
 * Not part of a template: to create its own devpts, bubblewrap puts an unprivileged user into a second user namespace,
 * and a process that enters it has no rights over the mounts.
 */
const OWN_DEVICES = ['--dev', '/dev', '--tmpfs', '/dev/shm', '--remount-ro', '/dev']
const CONFINED = ['--unshare-user', '--cap-drop', 'ALL', '--die-with-parent']

const MACHINE_SETTINGS =
  process.getuid?.() === 0 ? ['acpi', 'asound', 'driver', 'dynamic_debug', 'fs', 'mtrr', 'pressure', 'scsi', 'tty'] : []

/**
 * Creates every namespace a command needs, with the machine's file system. Commands run in sandboxes started inside.
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
 * bubblewrap's arguments for a sandbox, which contains only what is mounted here. No `--new-session`: the controlling
 * terminal stays, so that sudo, ssh and git can ask the user at /dev/tty. The terminal is private to the command, and
 * the seccomp filter blocks injecting characters into it.
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
  // A new pid namespace needs its own /proc; otherwise the caller's is used, which is not the machine's.
  args.push(...(options.namespaces === 'shared' ? ['--bind', '/proc', '/proc'] : ['--proc', '/proc']))
  // Machine settings that only root can change, in case Trestle runs as root. bubblewrap itself protects /proc/sys and
  // a few others.
  for (const name of MACHINE_SETTINGS) args.push('--ro-bind-try', `/proc/${name}`, `/proc/${name}`)
  if (options.seccompFd === undefined)
    args.push('--dir', '/dev', ...DEVICES.flatMap((name) => ['--dev-bind', `/dev/${name}`, `/dev/${name}`]))
  else args.push(...OWN_DEVICES)
  for (const path of readOnly) if (!isCovered(path, bound)) args.push('--remount-ro', path)
  args.push('--remount-ro', '/')
  if (options.seccompFd !== undefined) args.push('--seccomp', String(options.seccompFd))
  return args
}

/** Arguments for a sandbox that keeps all existing mounts and adds these. */
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

/** Whether a later mount at the same path replaces the empty one. */
function isCovered(path: string, mounts: readonly Mount[]): boolean {
  const last = mounts.findLast((mount) => mount.path === path)
  return last?.kind !== 'empty'
}
