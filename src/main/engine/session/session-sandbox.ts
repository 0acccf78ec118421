import { existsSync } from 'node:fs'
import type { CommandSandbox, SandboxDenial, SandboxStatus } from '../../../shared/model/sandbox'
import type { CommandSandboxes } from '../approval/policy'
import { usualSandbox } from '../approval/sandbox-verdict'
import type { FolderSettings } from '../config/project-settings'
import { sandboxSupportSoon } from '../sandbox/find-sandbox'
import type { SandboxedSession, Sandboxes } from '../sandbox/create-sandboxes'
import type { SandboxPolicy } from '../sandbox/sandbox-policy'
import type { SessionSandbox } from '../tool/bash-sandbox'
import { isWithin } from '../workspace/real-path'
import type { Session } from './session'

export interface SessionSandboxesDeps {
  sandboxes: Sandboxes
  userHome: string
  settingsFor(folder: string): Promise<FolderSettings>
  /** The header whose mode, folders and permissions count: that of the person's session a subagent belongs to. */
  standing(session: Session): Session['header']
  /** Adds to a list of `[sandbox]` in the user's own configuration. */
  keep(list: 'write' | 'read' | 'hosts', value: string): Promise<void>
  /**
   * Why commands of a session run where no sandbox is, in terminals of a client on another machine, say; a sentence. `known`: only what is known already, without trying
   * it out.
   */
  elsewhere?(session: Session, known?: 'known'): Promise<string | undefined>
  log(message: string): void
}

/** The sandboxes of sessions: what commands are judged by, what they run in, and what the screen shows of it. */
export function createSessionSandboxes({ sandboxes, userHome, settingsFor, standing, keep, elsewhere, log }: SessionSandboxesDeps) {
  /** Whether the project of a session was too large to be searched, as its last command has shown. */
  const incomplete = new WeakMap<Session, boolean>()

  async function sourceOf(session: Session, opened?: SandboxDenial): Promise<SandboxedSession & { webHosts: readonly string[] }> {
    const header = standing(session)
    const { settings } = await settingsFor(header.folder)
    const allowed = [...(header.sandboxAllowed ?? []), ...(session.header.sandboxAllowed ?? []), ...(opened ? [opened] : [])]
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
    const [source] = await Promise.all([sourceOf(session), sandboxSupportSoon()])
    const found = commandSandboxes(sandboxes, source, userHome)
    const unavailable = found.unavailable ?? (forCommand ? await elsewhere?.(session) : undefined)
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
          await keep(denied.kind === 'host' ? 'hosts' : denied.access, denied.kind === 'host' ? hostEntry(denied) : denied.path)
        session.record({ type: 'sandbox.allowed', denied })
      },
    }
  }

  /** What commands run in when nobody is asked; undefined: unrestricted. */
  async function usual(session: Session): Promise<SandboxPolicy | undefined> {
    const [source] = await Promise.all([sourceOf(session), sandboxSupportSoon()])
    if (!sandboxes.availability(source).available) return undefined
    return sandboxes.policy(source, usualOf(session))
  }

  function usualOf(session: Session): CommandSandbox {
    const { mode, plan } = standing(session)
    return usualSandbox({ mode, readsOnly: (plan?.active ?? false) || session.header.agent?.readOnly === true })
  }

  /** What commands run in now. */
  async function statusOf(session: Session): Promise<SandboxStatus> {
    const reason = await elsewhere?.(session, 'known')
    const [source] = await Promise.all([sourceOf(session), sandboxSupportSoon()])
    return reason === undefined
      ? withSearch(sandboxes.status(source, usualOf(session)), incomplete.get(session) ?? session.header.sandbox?.isIncomplete)
      : { level: 'unrestricted', network: 'open', unavailable: { reason } }
  }

  /** Records what commands run in now, when that has changed. */
  async function sync(session: Session): Promise<void> {
    try {
      const status = await statusOf(session)
      if (JSON.stringify(status) !== JSON.stringify(session.header.sandbox)) session.record({ type: 'sandbox.changed', sandbox: status })
    } catch (error) {
      log(`what the sandbox is could not be recorded: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  return { judging, forTools, usual, statusOf, sync }
}

function withSearch(status: SandboxStatus, isIncomplete = false): SandboxStatus {
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
    ...(!found.available && { unavailable: [found.reason, found.remedy].filter((each) => each !== undefined).join(' ') }),
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
