import type { SandboxLevel, SandboxNetwork } from '../../../shared/model/task/sandbox'

/**
 * What one command can reach. Plain data: it is sent to the process that runs the command. All paths are absolute;
 * `root`, `folders`, `home` and `userHome` have their symbolic links resolved.
 */
export interface SandboxPolicy {
  level: Exclude<SandboxLevel, 'unrestricted'>
  network: SandboxNetwork
  /**
   * Commands of one scope and network share localhost and see each other's processes: the id of the main session.
   */
  scope: string
  /** The project. */
  root: string
  /** Folders the user added; treated like the project. */
  folders: readonly string[]
  /** Other paths that a Project command can change: caches, and what the user allowed. Missing ones are ignored. */
  write: readonly string[]
  /** Other paths that can be read. */
  read: readonly string[]
  /** Paths in the project that cannot be changed, in addition to the protected names. */
  protect: readonly string[]
  /** With the network `listed`: hosts that the proxy allows. */
  hosts: readonly string[]
  /** Unix sockets outside the project that can be used. */
  sockets: readonly string[]
  /** TRESTLE_HOME: hidden from commands, except for a project inside it. */
  home: string
  userHome: string
  /** Folders within `home` that this program can read: the files of its plugin. */
  own?: readonly string[]
}

/**
 * Commands with the same key share localhost and a process list. Read-only ones have their own: they must not reach
 * what Project commands have started.
 */
export function networkKey({ home, scope, network, level }: SandboxPolicy): string {
  return JSON.stringify([home, scope, network, level])
}

/** Policies with the same key see the same files: one sandbox can serve both. */
export function filesKey(policy: SandboxPolicy): string {
  const { hosts: _hosts, scope: _scope, ...files } = policy
  return JSON.stringify(files)
}
