import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandSandbox, SandboxLevel, SandboxNetwork, SandboxStatus } from '../../../shared/model/task/sandbox'
import { DEFAULT_CACHES, type SandboxSettings } from '../config/agent-settings/sandbox-settings'
import { isWithin } from '../workspace/path/real-path'
import { sandboxSupport, type SandboxSupport } from './sandbox-support'
import { PACKAGE_REGISTRIES } from '../network/host-list'
import { CREDENTIALS } from './protected-names'
import type { SandboxPolicy } from './sandbox-policy'
import { toolchainPaths } from './toolchains'

/** The parts of a session that its sandbox depends on. */
export interface SandboxedSession {
  /** Id of the main session: its subagents share a network and a process list. */
  rootId: string
  /** Real paths. */
  root: string
  addedFolders: readonly string[]
  /** What the user allowed for this session after the sandbox refused it. */
  allowed: SandboxAllowed
  settings: SandboxSettings
}

/** What sandboxes allow in addition to the settings. */
export interface SandboxAllowed {
  write: readonly string[]
  read: readonly string[]
  hosts: readonly string[]
}

export interface SandboxesDeps {
  /** TRESTLE_HOME, its real path. */
  home: string
  userHome: string
  support?: () => SandboxSupport
}

/**
 * Whether commands of a session can be sandboxed. `required`: no command may run without one, unless the user allowed
 * that exact command.
 */
export type SandboxAvailability =
  | { available: true; required: boolean }
  | { available: false; required: boolean; reason: string; remedy?: string; isOff: boolean }

/**
 * The sandboxes of an engine: whether one is available, and which policy a session's commands get. Pure, except for
 * detecting the machine's sandbox support.
 */
export function createSandboxes({ home, userHome, support = sandboxSupport }: SandboxesDeps) {
  /** The settings that apply to a folder, with the longest override that contains it. */
  function settingsAt(settings: SandboxSettings, folder: string): SandboxSettings {
    const overrides = settings.folders
      .map((override) => ({ ...override, folder: real(expand(override.folder, userHome)) }))
      .filter((override) => isWithin(folder, override.folder))
      .toSorted((a, b) => b.folder.length - a.folder.length)
    const [nearest] = overrides
    if (!nearest) return settings
    const { folder: _folder, ...own } = nearest
    return { ...settings, ...own }
  }

  function availability({ settings, root }: Pick<SandboxedSession, 'settings' | 'root'>): SandboxAvailability {
    const { mode, project } = settingsAt(settings, root)
    const required = mode === 'required' || project?.mode === 'required'
    if (mode === 'off' && !required)
      return { available: false, required: false, isOff: true, reason: 'The sandbox is turned off in config.toml.' }
    const found = support()
    if (found.kind !== 'none') return { available: true, required }
    return {
      available: false,
      required,
      isOff: false,
      reason: found.reason,
      ...(found.remedy !== undefined && { remedy: found.remedy }),
    }
  }

  /** Hosts that Project commands with the network `listed` can reach. */
  function hosts({ settings, allowed, root }: SandboxedSession): string[] {
    const own = settingsAt(settings, root)
    // The user can still allow hosts for a session when the project turns its network off.
    const listed = own.project?.network === 'none' ? [] : [...(own.defaults ? PACKAGE_REGISTRIES : []), ...own.hosts]
    return [...new Set([...listed, ...allowed.hosts])]
  }

  function writable({ settings, allowed, root }: SandboxedSession): string[] {
    const own = settingsAt(settings, root)
    const caches = own.defaults ? DEFAULT_CACHES : []
    return [...new Set([...caches, ...own.write].map((path) => expand(path, userHome)).concat(allowed.write))]
  }

  /** Paths outside the project and system folders that commands can read. */
  function readable(session: SandboxedSession): string[] {
    const own = settingsAt(session.settings, session.root)
    const listed = own.read.map((path) => expand(path, userHome))
    return [...listed, ...session.allowed.read, ...writable(session), ...toolchainPaths(userHome, process.env['PATH'])]
  }

  function policy(session: SandboxedSession, { level, network }: CommandSandbox): SandboxPolicy | undefined {
    if (level === 'unrestricted') return undefined
    const own = settingsAt(session.settings, session.root)
    // Without a network, the hosts that the user allowed for this session can still be reached.
    const reached = network === 'listed' ? hosts(session) : session.allowed.hosts
    const net = level === 'read-only' ? 'none' : network === 'open' ? network : reached.length === 0 ? 'none' : 'listed'
    return {
      level,
      network: net,
      scope: session.rootId,
      root: session.root,
      folders: session.addedFolders,
      write: level === 'project' ? writable(session) : [],
      read: [...new Set([...own.read.map((path) => expand(path, userHome)), ...session.allowed.read])],
      protect: own.project?.protect ?? [],
      hosts: net === 'listed' ? reached : [],
      sockets: own.sockets.map((path) => socketPath(path, userHome)).filter((path) => path !== ''),
      home,
      userHome,
    }
  }

  /** What the header of a session shows: the sandbox its commands run in without asking. */
  function status(session: SandboxedSession, usual: { level: SandboxLevel; network: SandboxNetwork }): SandboxStatus {
    const found = availability(session)
    if (!found.available) {
      const { reason, remedy, required } = found
      const unavailable = { reason, ...(remedy !== undefined && { remedy }), ...(required && { isRequired: true }) }
      return { level: 'unrestricted', network: 'open', unavailable }
    }
    const { level, network } = usual
    if (level === 'unrestricted') return { level, network }
    const isListed = level === 'project' && network === 'listed'
    return {
      level,
      network,
      writable: level === 'project' ? [session.root, ...session.addedFolders] : [],
      ...(isListed && { hosts: hosts(session) }),
    }
  }

  /**
   * Whether the user can be offered to open this path to the sandbox. Never for credentials, Trestle's own folder, or a
   * whole home.
   */
  function canAllow(path: string): boolean {
    if (path === '/' || isWithin(userHome, path) || isWithin(home, path) || isWithin(path, home)) return false
    return !CREDENTIALS.some((name) => {
      const kept = join(userHome, name)
      return isWithin(path, kept) || isWithin(kept, path)
    })
  }

  return { availability, policy, status, hosts, writable, readable, canAllow }
}

export type Sandboxes = ReturnType<typeof createSandboxes>

function expand(path: string, userHome: string): string {
  return path === '~' ? userHome : path.startsWith('~/') ? join(userHome, path.slice(2)) : path
}

/** A socket can be given as the variable that holds its path: `$SSH_AUTH_SOCK`. */
function socketPath(path: string, userHome: string): string {
  return path.startsWith('$') ? (process.env[path.slice(1)] ?? '') : expand(path, userHome)
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
