/**
 * How much of the machine a command can reach; the operating system enforces it. `read-only`: reads the project and
 * system folders, changes nothing, no network.
 * `project`: also writes to the project, the folders the user added and toolchain caches. `unrestricted`: no sandbox.
 */
export const SANDBOX_LEVELS = ['read-only', 'project', 'unrestricted'] as const
export type SandboxLevel = (typeof SANDBOX_LEVELS)[number]

/** The names on screen, in the log and in the documentation. */
export const SANDBOX_LEVEL_NAMES: Readonly<Record<SandboxLevel, string>> = {
  'read-only': 'Read-only',
  project: 'Project',
  unrestricted: 'Unrestricted',
}

/** What a command can connect to: nothing, the listed hosts through Trestle's proxy, or anything. */
export const SANDBOX_NETWORKS = ['none', 'listed', 'open'] as const
export type SandboxNetwork = (typeof SANDBOX_NETWORKS)[number]

export const SANDBOX_NETWORK_NAMES: Readonly<Record<SandboxNetwork, string>> = {
  none: 'no network',
  listed: 'listed hosts',
  open: 'open network',
}

/**
 * `auto`: where this machine has a sandbox; `required`: no command runs without one unless the user allowed that
 * command; `off`: never.
 */
export const SANDBOX_MODES = ['auto', 'required', 'off'] as const
export type SandboxMode = (typeof SANDBOX_MODES)[number]

/** The format of an entry in the lists of `[sandbox]`, and its description for people. */
export const SANDBOX_PATH = {
  pattern: /^(?:[/~]|[A-Za-z]:[\\/])[^\0\n]*$/,
  must: 'an absolute path or one from "~"',
} as const
export const SANDBOX_SOCKET = {
  pattern: /^(?:[/~$]|[A-Za-z]:[\\/])[^\0\n]*$/,
  must: 'an absolute path, one from "~", or a variable like "$SSH_AUTH_SOCK"',
} as const
export const SANDBOX_HOST = {
  pattern: /^(?:\*\.)?[^\s/@*]+$/,
  must: 'a host like "example.com", "*.example.com" or "example.com:8443"',
} as const

/** The sandbox that applies to a session's commands; recorded whenever it changes, and shown in the header. */
export interface SandboxStatus {
  /** The sandbox that commands run in without asking. */
  level: SandboxLevel
  network: SandboxNetwork
  /** Folders that commands can change; empty at `read-only`. Absent when `unrestricted`. */
  writable?: string[]
  /** Hosts that commands can connect to if the network is `listed`. */
  hosts?: string[]
  /** The project is too large to search completely: secrets deep in it may not be hidden. */
  isIncomplete?: boolean
  /**
   * Set when this machine has no sandbox, or it was turned off: why, and what to do about it, as a sentence or a
   * command to run. `isRequired`: the settings require one, so every command asks.
   */
  unavailable?: { reason: string; remedy?: string; isRequired?: boolean }
}

/** The sandbox of one command; stored with the command. */
export interface CommandSandbox {
  level: SandboxLevel
  network: SandboxNetwork
}

/** Access that a sandboxed command attempted and the sandbox blocked. */
export type SandboxDenial =
  | { kind: 'path'; path: string; access: 'read' | 'write' }
  | { kind: 'host'; host: string; port: number }

/** One line for people: `Project, listed hosts`. */
export function describeSandbox({ level, network }: CommandSandbox): string {
  return level === 'project'
    ? `${SANDBOX_LEVEL_NAMES.project}, ${SANDBOX_NETWORK_NAMES[network]}`
    : SANDBOX_LEVEL_NAMES[level]
}

/** A sentence for people: what the sandbox blocked. */
export function describeDenial(denied: SandboxDenial, sandbox: CommandSandbox): string {
  const who = `The ${SANDBOX_LEVEL_NAMES[sandbox.level]} sandbox`
  if (denied.kind === 'host') return `${who} blocked a connection to ${denied.host}:${denied.port}.`
  return `${who} blocked ${denied.access === 'write' ? 'writing to' : 'reading'} ${denied.path}.`
}
