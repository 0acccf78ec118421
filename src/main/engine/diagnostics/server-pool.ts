import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorText } from '../../../shared/error-text'
import { failureOf } from '../../../shared/errors'
import type { FolderSettings } from '../trust/project-settings'
import type { ProgramSandboxes } from '../sandbox/program-sandboxes'
import { findLanguageServer, type LanguageServerCommand, languageOf } from './find-language-server'
import type { LanguageServer } from './language-server'

export interface ServerPoolDeps {
  home: string
  /** The environment of commands: without keys. */
  env(): Record<string, string>
  settingsFor(folder: string): Promise<FolderSettings>
  /** The sandboxes for servers; absent: nothing is sandboxed. */
  sandboxes?: ProgramSandboxes
  log(message: string): void
  limits?: Partial<PoolLimits>
}

export interface PoolLimits {
  /** A server is stopped after this long without a request. */
  idleMs: number
  /** When no server was found, the search is repeated after this long. */
  searchAgainMs: number
  /** A server that uses more memory, including its child processes, is stopped. */
  memoryBytes: number
  /** The interval of these checks. */
  watchMs: number
  /** How often a server that has failed is restarted. */
  restarts: number
}

const LIMITS: PoolLimits = {
  idleMs: 10 * 60_000,
  searchAgainMs: 30_000,
  memoryBytes: 4 * 1024 ** 3,
  watchMs: 20_000,
  restarts: 2,
}

/** One language of one project. */
interface Slot {
  root: string
  server?: Promise<LanguageServer | undefined>
  running?: LanguageServer
  usedAt: number
  /** When a search found no server. */
  missingAt?: number
  /** How often a server exited without being stopped, or failed to start. */
  failures: number
  watch?: NodeJS.Timeout
}

/** The language servers of an engine: one per project and language, started for the first file that is checked. */
export interface ServerPool {
  /** The server for a file, started if necessary; undefined when no server is available. Never rejects. */
  serverFor(root: string, path: string): Promise<LanguageServer | undefined>
  /** The running servers of a folder. */
  running(root: string): LanguageServer[]
  /** Stops all servers; resolves when their processes have exited. */
  close(): Promise<void>
}

export function createServerPool(deps: ServerPoolDeps): ServerPool {
  const limits = { ...LIMITS, ...deps.limits }
  const slots = new Map<string, Slot>()
  const ending = new Set<Promise<void>>()
  const closing = new AbortController()

  const stop = (slot: Slot): void => {
    const { running } = slot
    clearInterval(slot.watch)
    delete slot.server
    delete slot.running
    if (!running) return
    const gone = running
      .stop()
      .catch((error: unknown) => deps.log(`A language server could not be stopped: ${failureOf(error).message}`))
      .finally(() => void ending.delete(gone))
    ending.add(gone)
  }

  const failed = (slot: Slot, message: string): void => {
    slot.failures += 1
    const again = slot.failures <= limits.restarts ? '' : ' It is not started again.'
    deps.log(`${message}${again}`)
  }

  const awaitEnd = async (slot: Slot, server: LanguageServer, command: string): Promise<void> => {
    await server.ended
    // A server that was stopped intentionally is no longer in its slot.
    if (slot.running !== server) return
    stop(slot)
    failed(slot, `The language server ${command} stopped unexpectedly: ${server.ending ?? 'it closed its connection'}.`)
  }

  const checkMemory = async (slot: Slot, server: LanguageServer, command: string): Promise<void> => {
    // Without a process table, its memory use is unknown.
    const bytes = await memoryBelow(server.pid).catch(() => 0)
    if (slot.running !== server || bytes <= limits.memoryBytes) return
    stop(slot)
    failed(slot, `The language server ${command} was stopped: it used ${Math.round(bytes / 1024 ** 2)} MiB of memory.`)
  }

  const watch = (slot: Slot, server: LanguageServer, command: string): void => {
    slot.running = server
    void awaitEnd(slot, server, command)
    slot.watch = setInterval(() => {
      if (performance.now() - slot.usedAt > limits.idleMs) return stop(slot)
      void checkMemory(slot, server, command)
    }, limits.watchMs)
    slot.watch.unref()
  }

  const start = async (slot: Slot, path: string): Promise<LanguageServer | undefined> => {
    const plan = await planFor(deps, slot.root, path)
    if (!plan) {
      slot.missingAt = performance.now()
      return undefined
    }
    const { found, level } = plan
    try {
      const scope = `lsp-${randomBytes(8).toString('hex')}`
      const sandbox =
        level && (await deps.sandboxes?.policy({ root: slot.root, level, network: 'none', scope, names: found.needs }))
      const { LanguageServer } = await import('./language-server')
      const server = await LanguageServer.start({
        home: deps.home,
        command: found.command,
        args: found.args,
        cwd: slot.root,
        env: { ...deps.env(), ...BOUNDS, ...(level === 'read-only' && IN_TEMPORARY) },
        ...(sandbox && { sandbox }),
        root: slot.root,
        languageIdOf: (file) => languageOf(file)?.languageId ?? 'plaintext',
        signal: closing.signal,
      })
      watch(slot, server, found.command)
      return server
    } catch (error) {
      const reason = errorText(error)
      if (closing.signal.aborted) return undefined
      if (NO_TYPESCRIPT.test(reason)) {
        // Nothing is broken, and a retry cannot help.
        slot.failures = limits.restarts + 1
        if (isFirstTime(deps.home)) deps.log(TYPESCRIPT_HINT)
      } else failed(slot, `The language server ${found.command} could not be started: ${reason.replace(/\.$/, '')}.`)
      return undefined
    }
  }

  return {
    async serverFor(root, path) {
      const language = languageOf(path)?.language
      if (!language || closing.signal.aborted) return undefined
      const key = `${language.id}\0${root}`
      let slot = slots.get(key)
      if (!slot) slots.set(key, (slot = { root, usedAt: 0, failures: 0 }))
      slot.usedAt = performance.now()
      if (slot.server) return slot.server
      if (slot.failures > limits.restarts) return undefined
      if (slot.missingAt !== undefined && performance.now() - slot.missingAt < limits.searchAgainMs) return undefined
      delete slot.missingAt
      const current = slot
      const server = start(current, path).catch((error: unknown) => {
        deps.log(`A language server could not be started: ${failureOf(error).message}`)
        return undefined
      })
      current.server = server
      const found = await server
      if (!found && current.server === server) delete current.server
      return found
    },
    running: (root) =>
      [...slots.values()].flatMap((slot) => (slot.root === root && slot.running ? [slot.running] : [])),
    async close() {
      closing.abort()
      await Promise.allSettled([...slots.values()].flatMap(({ server }) => (server ? [server] : [])))
      for (const slot of slots.values()) stop(slot)
      await Promise.all(ending)
    },
  }
}

/** The message of typescript-language-server if neither the project nor its own package has TypeScript. */
const NO_TYPESCRIPT = /could not find a valid typescript installation/i
const TYPESCRIPT_HINT =
  'Hint: errors in TypeScript and JavaScript are not checked in projects without TypeScript. ' +
  'To have them checked, run `npm install --save-dev typescript` there.'

/** Whether the hint about TypeScript has not been shown before; records it as shown. */
function isFirstTime(home: string): boolean {
  try {
    mkdirSync(join(home, 'hints'), { recursive: true, mode: 0o700 })
    writeFileSync(join(home, 'hints', 'typescript'), '', { flag: 'wx' })
    return true
  } catch {
    return false
  }
}

/** Memory limits that runtimes enforce themselves. */
const BOUNDS = { NODE_OPTIONS: '--max-old-space-size=2048', GOMEMLIMIT: '2GiB' }
/** When nothing else is writable, caches go to the sandbox's own /tmp. */
const IN_TEMPORARY = {
  XDG_CACHE_HOME: '/tmp/cache',
  GOCACHE: '/tmp/cache/go-build',
  CARGO_TARGET_DIR: '/tmp/cache/target',
}

interface ServerPlan {
  found: LanguageServerCommand
  /** The sandbox; undefined: unsandboxed. */
  level: 'project' | 'read-only' | undefined
}

/**
 * Decides which server checks the file, in which sandbox. Every server runs code of the project: TypeScript and its
 * plugins, an interpreter, build scripts. So in an untrusted folder it is read-only and without a network, and does not
 * run without a sandbox unless the user's own settings name it. A server inside the project runs only in a trusted
 * folder, or when the project has nothing that requires trust.
 */
async function planFor(
  { env, settingsFor, sandboxes }: ServerPoolDeps,
  root: string,
  path: string,
): Promise<ServerPlan | undefined> {
  const programs = languageOf(path)?.language
  if (!programs) return undefined
  const { settings, trust } = await settingsFor(root)
  const override = settings.diagnostics.servers[programs.id]
  const isTrusted = trust.state === 'trusted'
  const isSandboxed =
    sandboxes !== undefined && (await sandboxes.describe({ root, network: 'none' })).level !== 'unrestricted'
  const found = findLanguageServer({
    root,
    file: path,
    programs: programs.programs,
    path: env()['PATH'] ?? '',
    ...(override && { override }),
    allowsProject: isTrusted || (isSandboxed && trust.state === 'nothing'),
  })
  if (!found || (!isSandboxed && !isTrusted && found.from !== 'settings')) return undefined
  return { found, level: !isSandboxed ? undefined : isTrusted ? 'project' : 'read-only' }
}

/** Resident bytes of a process and its descendants; 0 if they cannot be read. */
async function memoryBelow(pid: number): Promise<number> {
  // Only needed once a server runs.
  const { processTable } = await import('../process/process-table')
  const table = await processTable()
  const children = new Map<number, number[]>()
  for (const entry of table.values()) children.set(entry.parent, [...(children.get(entry.parent) ?? []), entry.pid])
  let bytes = 0
  const pending = [pid]
  const seen = new Set<number>()
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    bytes += table.get(at)?.memoryBytes ?? 0
    pending.push(...(children.get(at) ?? []))
  }
  return bytes
}
