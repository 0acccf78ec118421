import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { errorText } from '../../../../shared/error-text'
import type { CommandSandbox, SandboxDenial, SandboxStatus } from '../../../../shared/model/task/sandbox'
import type { CommandSandboxes } from '../../approval/rules/policy'
import { defaultSandbox } from '../../approval/policies/sandbox-verdict'
import type { FolderSettings } from '../../trust/project-settings'
import { probeSandboxSupport } from '../../sandbox/sandbox-support'
import { type SandboxedSession, type Sandboxes, createSandboxes } from '../../sandbox/create-sandboxes'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { SessionSandbox } from '../../tool/bash-sandbox'
import { isSystemSecret } from '../../sandbox/mounts/system-mounts'
import { isCredential } from '../../sandbox/protected-names'
import { isWithin, realPathOrSelf } from '../../workspace/path/real-path'
import type { Session } from '../../session/session'
import type { SessionHeader } from '../../../../shared/model/session/session'
import type { Config } from '../../config/config'
import { createProgramSandboxes, type ProgramSandboxes } from '../../sandbox/program-sandboxes'
import { createClientSandboxes } from '../../task/run/client-sandboxes'
import { createClientCapabilityRegistry, type ClientCapabilityRegistry } from './client-capabilities'

export interface SessionSandboxesDeps {
  sandboxes: Sandboxes
  userHome: string
  settingsFor(folder: string): Promise<FolderSettings>
  /** The header whose mode, folders and permissions apply: for a subagent, that of the user's session it belongs to. */
  effectiveHeader(session: Session): Session['header']
  /** Adds to a list of `[sandbox]` in the user's own configuration. */
  keep(list: 'write' | 'read' | 'hosts', value: string): Promise<void>
  /**
   * Why commands of a session run without a sandbox (for example in terminals of a client on another machine), as a
   * sentence. `known`: return only what is already known, without probing.
   */
  unsandboxedReason?(session: Session, known?: 'known'): Promise<string | undefined>
  log(message: string): void
}

/**
 * The sandboxes of sessions: the input for judging commands, the policy that commands run with, and the status that the
 * UI shows.
 */
function createSessionSandboxes({
  sandboxes,
  userHome,
  settingsFor,
  effectiveHeader,
  keep,
  unsandboxedReason,
  log,
}: SessionSandboxesDeps) {
  /** Whether the project of a session was too large to search when its last command ran. */
  const incomplete = new WeakMap<Session, boolean>()

  async function sourceOf(
    session: Session,
    opened?: SandboxDenial,
  ): Promise<SandboxedSession & { webHosts: readonly string[] }> {
    const header = effectiveHeader(session)
    const { settings } = await settingsFor(header.folder)
    const allowed = [
      ...(header.sandboxAllowed ?? []),
      ...(session.header.sandboxAllowed ?? []),
      ...(opened ? [opened] : []),
    ]
    const paths = (access: 'read' | 'write'): string[] =>
      allowed.flatMap((each) => (each.kind === 'path' && each.access === access ? [each.path] : []))
    return {
      rootId: header.sessionId,
      root: header.folder,
      addedFolders: header.addedFolders,
      allowed: {
        write: paths('write'),
        read: paths('read'),
        hosts: allowed.flatMap((each) => (each.kind === 'host' ? [hostEntry(each)] : [])),
      },
      settings: settings.sandbox,
      webHosts: settings.web.allowedHosts,
    }
  }

  /** What the approval gate needs to judge commands. */
  async function judging(session: Session, forCommand = true): Promise<CommandSandboxes> {
    const [source] = await Promise.all([sourceOf(session), probeSandboxSupport()])
    const found = commandSandboxes(sandboxes, source, userHome)
    const unavailable = found.unavailable ?? (forCommand ? await unsandboxedReason?.(session) : undefined)
    if (unavailable === undefined) return found
    // The status may not have been known when the turn started.
    void sync(session)
    return { ...found, unavailable }
  }

  /** The sandbox as the Bash tool uses it. */
  function forTools(session: Session): SessionSandbox {
    return {
      async policy(sandbox, opened) {
        if (!sandbox) return undefined
        return sandboxes.policy(await sourceOf(session, opened), sandbox)
      },
      searched(isComplete) {
        if (isComplete === (session.header.sandbox?.isIncomplete !== true)) return
        incomplete.set(session, !isComplete)
        void sync(session)
      },
      canAllow: (denied) => denied.kind === 'host' || sandboxes.canAllow(denied.path),
      async allow(denied, scope) {
        if (scope === 'always')
          await keep(
            denied.kind === 'host' ? 'hosts' : denied.access,
            denied.kind === 'host' ? hostEntry(denied) : denied.path,
          )
        session.record({ type: 'sandbox.allowed', denied })
      },
    }
  }

  /** The policy for commands that run without asking; undefined: unrestricted. */
  async function usual(session: Session): Promise<SandboxPolicy | undefined> {
    const [source] = await Promise.all([sourceOf(session), probeSandboxSupport()])
    if (!sandboxes.availability(source).available) return undefined
    return sandboxes.policy(source, usualOf(session))
  }

  function usualOf(session: Session): CommandSandbox {
    const { mode, plan } = effectiveHeader(session)
    return defaultSandbox({ mode, readsOnly: (plan?.active ?? false) || session.header.agent?.readOnly === true })
  }

  /** The current sandbox status for commands. */
  async function statusOf(session: Session): Promise<SandboxStatus> {
    const reason = await unsandboxedReason?.(session, 'known')
    const [source] = await Promise.all([sourceOf(session), probeSandboxSupport()])
    return reason === undefined
      ? withSearchHosts(
          sandboxes.status(source, usualOf(session)),
          incomplete.get(session) ?? session.header.sandbox?.isIncomplete,
        )
      : { level: 'unrestricted', network: 'open', unavailable: { reason } }
  }

  /** Records the sandbox status if it has changed. */
  async function sync(session: Session): Promise<void> {
    try {
      const status = await statusOf(session)
      if (JSON.stringify(status) !== JSON.stringify(session.header.sandbox))
        session.record({ type: 'sandbox.changed', sandbox: status })
    } catch (error) {
      log(`The sandbox status could not be recorded: ${errorText(error)}`)
    }
  }

  return { judging, forTools, usual, statusOf, sync }
}

function withSearchHosts(status: SandboxStatus, isIncomplete = false): SandboxStatus {
  return isIncomplete && !status.unavailable && status.level !== 'unrestricted' ? { ...status, isIncomplete } : status
}

/** What the approval policies know about the sandbox when they judge commands of a session. */
export function commandSandboxes(
  sandboxes: Sandboxes,
  source: SandboxedSession & { webHosts: readonly string[] },
  userHome: string,
): CommandSandboxes {
  const found = sandboxes.availability(source)
  // Computed on demand: few calls need it, and it checks many folders.
  let readable: string[] | undefined
  let realHome: string | undefined
  const isReadable = (path: string): boolean => {
    realHome ??= realPathOrSelf(userHome)
    if (isCredential(path, realHome) || isSystemSecret(path)) return false
    readable ??= [...sandboxes.readable(source), ...source.allowed.write]
    return readable.some((root) => isWithin(path, root)) || (!isWithin(path, userHome) && isSystem(path))
  }
  const hosts = sandboxes.hosts(source)
  return {
    required: found.required,
    ...(!found.available && {
      unavailable: [found.reason, found.remedy].filter((each) => each !== undefined).join(' '),
    }),
    hosts,
    webHosts: [...hosts, ...source.webHosts],
    openedHosts: source.allowed.hosts,
    writable: sandboxes.writable(source),
    isReadable,
  }
}

/** System folders are visible in every sandbox. */
function isSystem(path: string): boolean {
  return (
    ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/opt', '/proc', '/sys', '/dev', '/nix', '/gnu'].some((root) =>
      isWithin(path, root),
    ) && existsSync(path)
  )
}

function hostEntry({ host, port }: { host: string; port: number }): string {
  return port === 80 || port === 443 ? host : `${host}:${port}`
}

export interface EngineSandboxesDeps {
  home: string
  config: Pick<Config, 'settings' | 'edit'>
  settingsFor(folder: string): Promise<FolderSettings>
  /** The header that applies: for a subagent, that of the user's session it belongs to. */
  effectiveHeader(session: Pick<Session, 'header'>): SessionHeader
  log(message: string): void
}

export interface EngineSandboxes {
  /** For the commands of sessions. */
  sessions: ReturnType<typeof createSessionSandboxes>
  /** For servers, hooks and language servers. */
  programs: ProgramSandboxes
  /**
   * What clients provide for sessions. If commands run in an editor's terminals, the editor's machine decides whether a
   * sandbox exists.
   */
  clientCapabilities: ClientCapabilityRegistry
}

/** Creates the sandboxes for commands and other programs. */
export function createEngineSandboxes({
  home,
  config,
  settingsFor,
  effectiveHeader,
  log,
}: EngineSandboxesDeps): EngineSandboxes {
  const userHome = realpathSync(homedir())
  const sandboxes = createSandboxes({ home, userHome })
  const clientCapabilities = createClientCapabilityRegistry()
  const clientSandboxes = createClientSandboxes({ home, userHome })
  return {
    clientCapabilities,
    programs: createProgramSandboxes({
      sandboxes,
      settingsFor: async (folder) => (await settingsFor(folder)).settings.sandbox,
    }),
    sessions: createSessionSandboxes({
      sandboxes,
      userHome,
      settingsFor,
      effectiveHeader,
      keep: (list, value) => {
        const before = config.settings.sandbox[list]
        return before.includes(value)
          ? Promise.resolve()
          : config.edit([{ path: ['sandbox', list], value: [...before, value] }])
      },
      unsandboxedReason: async (session, known) => {
        const terminals = clientCapabilities.of(session)?.terminals
        if (!terminals) return undefined
        const works = known
          ? (clientSandboxes.knownSupport(terminals) ?? true)
          : await clientSandboxes.isSupported(terminals, session.header.folder)
        return works
          ? undefined
          : "Commands run in your editor's terminals, where there is no sandbox: the editor runs on another machine."
      },
      log,
    }),
  }
}
