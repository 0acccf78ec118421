import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import type { CommandSandbox, SandboxDenial, SandboxStatus } from '../../../shared/model/sandbox'
import type { CommandSandboxes } from '../approval/rules/policy'
import { defaultSandbox } from '../approval/policies/sandbox-verdict'
import type { FolderSettings } from '../trust/project-settings'
import { probeSandboxSupport } from '../sandbox/sandbox-support'
import { type SandboxedSession, type Sandboxes, createSandboxes } from '../sandbox/create-sandboxes'
import type { SandboxPolicy } from '../sandbox/sandbox-policy'
import type { SessionSandbox } from '../tool/bash-sandbox'
import { isWithin } from '../workspace/path/real-path'
import type { Session } from '../session/session'
import type { SessionHeader } from '../../../shared/model/session'
import type { Config } from '../config/config'
import { createProgramSandboxes, type ProgramSandboxes } from '../sandbox/program-sandboxes'
import { createClientSandboxes } from '../task/client-terminals'
import { createClientCapabilityRegistry, type ClientCapabilityRegistry } from './client-capabilities'

export interface SessionSandboxesDeps {
  sandboxes: Sandboxes
  userHome: string
  settingsFor(folder: string): Promise<FolderSettings>
  /** The header whose mode, folders and permissions count: that of the person's session a subagent belongs to. */
  effectiveHeader(session: Session): Session['header']
  /** Adds to a list of `[sandbox]` in the user's own configuration. */
  keep(list: 'write' | 'read' | 'hosts', value: string): Promise<void>
  /**
   * Why commands of a session run where no sandbox is, in terminals of a client on another machine, say; a sentence. `known`: only what is known already, without trying
   * it out.
   */
  unsandboxedReason?(session: Session, known?: 'known'): Promise<string | undefined>
  log(message: string): void
}

/** The sandboxes of sessions: what commands are judged by, what they run in, and what the screen shows of it. */
function createSessionSandboxes({
  sandboxes,
  userHome,
  settingsFor,
  effectiveHeader,
  keep,
  unsandboxedReason,
  log,
}: SessionSandboxesDeps) {
  /** Whether the project of a session was too large to be searched, as its last command has shown. */
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

  /** What the gate needs to know to judge commands. */
  async function judging(session: Session, forCommand = true): Promise<CommandSandboxes> {
    const [source] = await Promise.all([sourceOf(session), probeSandboxSupport()])
    const found = commandSandboxes(sandboxes, source, userHome)
    const unavailable = found.unavailable ?? (forCommand ? await unsandboxedReason?.(session) : undefined)
    if (unavailable === undefined) return found
    // It may not have been known when the turn began.
    void sync(session)
    return { ...found, unavailable }
  }

  /** The same as Bash uses it. */
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

  /** What commands run in when nobody is asked; undefined: unrestricted. */
  async function usual(session: Session): Promise<SandboxPolicy | undefined> {
    const [source] = await Promise.all([sourceOf(session), probeSandboxSupport()])
    if (!sandboxes.availability(source).available) return undefined
    return sandboxes.policy(source, usualOf(session))
  }

  function usualOf(session: Session): CommandSandbox {
    const { mode, plan } = effectiveHeader(session)
    return defaultSandbox({ mode, readsOnly: (plan?.active ?? false) || session.header.agent?.readOnly === true })
  }

  /** What commands run in now. */
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

  /** Records what commands run in now, when that has changed. */
  async function sync(session: Session): Promise<void> {
    try {
      const status = await statusOf(session)
      if (JSON.stringify(status) !== JSON.stringify(session.header.sandbox))
        session.record({ type: 'sandbox.changed', sandbox: status })
    } catch (error) {
      log(`what the sandbox is could not be recorded: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  return { judging, forTools, usual, statusOf, sync }
}

function withSearchHosts(status: SandboxStatus, isIncomplete = false): SandboxStatus {
  return isIncomplete && !status.unavailable && status.level !== 'unrestricted' ? { ...status, isIncomplete } : status
}

/** What commands of a session are judged by. */
export function commandSandboxes(
  sandboxes: Sandboxes,
  source: SandboxedSession & { webHosts: readonly string[] },
  userHome: string,
): CommandSandboxes {
  const found = sandboxes.availability(source)
  // Few calls ask for it, and it looks for many folders.
  let readable: string[] | undefined
  const isReadable = (path: string): boolean => {
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

/** System folders are there in every sandbox. */
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
  /** What counts for a subagent: the header of the person's session it belongs to. */
  effectiveHeader(session: Pick<Session, 'header'>): SessionHeader
  log(message: string): void
}

export interface EngineSandboxes {
  /** For the commands of sessions. */
  sessions: ReturnType<typeof createSessionSandboxes>
  /** For servers, hooks and language servers. */
  programs: ProgramSandboxes
  /** What clients lend to sessions: where commands run in an editor's terminals, that decides whether there is a sandbox. */
  clientCapabilities: ClientCapabilityRegistry
}

/** Everything that decides what a program runs in. */
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
  const lentSandboxes = createClientSandboxes({ home, userHome })
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
        const lender = clientCapabilities.of(session)?.terminals
        if (!lender) return undefined
        const works = known
          ? (lentSandboxes.knownSupport(lender) ?? true)
          : await lentSandboxes.isSupported(lender, session.header.folder)
        return works
          ? undefined
          : "Commands run in your editor's terminals, where there is no sandbox: the editor runs on another machine."
      },
      log,
    }),
  }
}
