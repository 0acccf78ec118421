import type { SandboxLevel, SandboxNetwork } from '../../../shared/model/task/sandbox'

/**
 * What one command can reach. Plain data: it travels to the process that runs the command. All paths are absolute;
 * `root`, `folders`, `home` and
 * `userHome` have their symbolic links resolved.
 */
export interface SandboxPolicy {
  level: Exclude<SandboxLevel, 'unrestricted'>
  network: SandboxNetwork
  /**
   * Commands of one scope and network share localhost and see each other's processes: the id of the session at the top
   * of a family.
   */
  scope: string
  /** The project. */
  root: string
  /** Folders the user added: as the project. */
  folders: readonly string[]
  /** Other paths that a Project command can change: caches, and what the user allowed. What is missing is left out. */
  write: readonly string[]
  /** Other paths that can be read. */
  read: readonly string[]
  /** Paths in the project that stay as they are, beside the protected names. */
  protect: readonly string[]
  /** With the network `listed`: hosts that the proxy lets through. */
  hosts: readonly string[]
  /** Unix sockets outside the project that can be used. */
  sockets: readonly string[]
  /** TRESTLE_HOME: not there for commands, unless the project lies in it, and then only the project. */
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
