import { relative } from 'node:path'
import type { FileChange } from '../../../shared/model/session/checkpoint'
import type { DiagnosedCall, TurnDiagnostics } from '../loop/call-lifecycle'
import { isWithin } from '../workspace/path/real-path'
import { type FileDiagnostic, errorsMessage } from './file-diagnostic'
import { languageOf } from './find-language-server'
import { type ServerPool, createServerPool, type ServerPoolDeps } from './server-pool'
import type { SessionHeader } from '../../../shared/model/session/session'

/** How long a step waits for servers. */
const MAX_WAIT_MS = 2_000
/** How long after a read the file's server is started, in ms: other calls of the step and the next request go first. */
const OPEN_DELAY_MS = 300

/** One check of a changed file. */
interface Check {
  done: Promise<void>
  errors?: readonly FileDiagnostic[]
  isDone: boolean
  language: string
}

/**
 * The language servers as the turns of one session see them. Results too late for one step are reported after a later
 * one.
 */
export class SessionDiagnostics implements TurnDiagnostics {
  readonly root: string
  readonly #pool: ServerPool
  readonly #maxWaitMs: number
  readonly #checks = new Map<string, Check>()
  /** Languages whose server timed out: no step waits for it again until it has answered. */
  readonly #slow = new Set<string>()
  /** Files that were read, whose servers are about to be started. */
  readonly #read = new Set<string>()
  #opening: NodeJS.Timeout | undefined

  /** `root`: the session's folder, a real path; files outside it are not checked. */
  constructor(root: string, pool: ServerPool, maxWaitMs = MAX_WAIT_MS) {
    this.root = root
    this.#pool = pool
    this.#maxWaitMs = maxWaitMs
  }

  ran({ accesses, changes, failed }: DiagnosedCall): void {
    const isEdit = accesses.every(({ kind }) => kind === 'file')
    const written = accesses.flatMap((access) => (access.kind === 'file' && access.write ? [access.path] : []))
    if (changes) {
      const onDisk = changes
        .filter(({ after }) => after.kind !== 'folder')
        .map(({ path, before, after }) => ({ path, kind: kindOf(before, after) }))
      for (const server of this.#pool.running(this.root)) server.changedOnDisk(onDisk)
      for (const { path, kind } of onDisk) if (kind === 'deleted') this.#checks.delete(path)
      // A command may have switched branches: servers are notified of its files, but they are not checked.
      if (isEdit) for (const { path, kind } of onDisk) if (kind !== 'deleted') this.#check(path)
    } else if (!failed) for (const path of written) this.#check(path)
    // A file that was read is likely to be changed next, and a server takes a while to start.
    if (!failed && isEdit && written.length === 0)
      for (const access of accesses) if (access.kind === 'file') this.#openSoon(access.path)
  }

  async report(signal: AbortSignal): Promise<string | undefined> {
    if (this.#checks.size === 0) return undefined
    const awaited = [...this.#checks.values()].filter(({ isDone, language }) => !isDone && !this.#slow.has(language))
    if (awaited.length > 0) await this.#wait(awaited, signal)
    if (signal.aborted) return undefined
    const found: { path: string; errors: readonly FileDiagnostic[] }[] = []
    for (const [path, check] of this.#checks) {
      if (!check.isDone) {
        this.#slow.add(check.language)
        continue
      }
      this.#checks.delete(path)
      if (check.errors && check.errors.length > 0) found.push({ path: relative(this.root, path), errors: check.errors })
    }
    return errorsMessage(found)
  }

  async #wait(checks: readonly Check[], signal: AbortSignal): Promise<void> {
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, this.#maxWaitMs)
    const stop = (): void => resolve()
    signal.addEventListener('abort', stop, { once: true })
    await Promise.race([over, Promise.all(checks.map(({ done }) => done))])
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }

  #openSoon(path: string): void {
    if (!isWithin(path, this.root) || languageOf(path) === undefined) return
    this.#read.add(path)
    if (this.#opening) return
    this.#opening = setTimeout(() => {
      this.#opening = undefined
      for (const each of this.#read) void this.#pool.serverFor(this.root, each).then((server) => server?.open(each))
      this.#read.clear()
    }, OPEN_DELAY_MS).unref()
  }

  #check(path: string): void {
    const language = languageOf(path)?.language.id
    if (language === undefined || !isWithin(path, this.root)) return
    const check: Check = { isDone: false, language, done: Promise.resolve() }
    this.#checks.set(path, check)
    check.done = (async () => {
      const server = await this.#pool.serverFor(this.root, path)
      const errors = await server?.errorsOf(path)
      if (errors) {
        check.errors = errors
        this.#slow.delete(language)
      }
      check.isDone = true
    })()
  }
}

function kindOf(before: FileChange['before'], after: FileChange['after']): 'created' | 'changed' | 'deleted' {
  return after.kind === 'absent' ? 'deleted' : before.kind === 'absent' ? 'created' : 'changed'
}

/** Errors that language servers find in files as the agents change them. */
export interface Diagnostics {
  /** For a turn of this session. */
  forTurn(session: { readonly header: Pick<SessionHeader, 'folder'> }): TurnDiagnostics
  /** Stops all servers; resolves when their processes have exited. */
  close(): Promise<void>
}

export function createDiagnostics(deps: ServerPoolDeps): Diagnostics {
  const pool = createServerPool(deps)
  const sessions = new WeakMap<object, SessionDiagnostics>()
  return {
    forTurn(session) {
      let own = sessions.get(session)
      // The project's folder can be moved.
      if (own?.root !== session.header.folder)
        sessions.set(session, (own = new SessionDiagnostics(session.header.folder, pool)))
      return own
    },
    close: () => pool.close(),
  }
}
