import { randomBytes } from 'node:crypto'
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { CodedError } from '../../../shared/errors'
import type { HomeAddress, MovedIn, MovedOut, MovedProject } from '../../../shared/model/place/move'
import type { SessionHeader } from '../../../shared/model/session/session'
import { isAgentId } from '../../../shared/model/session/agent'
import { addRefs } from '../checkpoint/capture/checkpoint-files'
import { SYSTEM_PATHS } from '../workspace/path/path-flavor'
import { realFolder } from '../workspace/path/real-path'
import type { SessionManager } from '../session/sessions'
import type { Store } from '../store/store'
import { keptFile, partialFile, sealSession, type SendDeps } from './move-out'
import { topOf, unpackProject } from './project-bundle'
import { readMove, sessionOf, type ReadMove } from './read-move'
import { cutText } from '../../../shared/cut-text'

export interface SessionMovesDeps extends Omit<SendDeps, 'agentsOf'> {
  store: Pick<Store, 'agents' | 'ofTypes'>
  sessions: Pick<SessionManager, 'header' | 'withSession' | 'adopt'>
  /** The mode of sessions that arrive from another place. */
  mode(): SessionHeader['mode']
  /** The command of a background task of the session that is still running. */
  runningTask(sessionId: string): Promise<string | undefined>
  makeScratchFolder(): Promise<string>
  newId(prefix: string): string
  now(): number
}

/** Options for receiving a session. */
export interface ReceiveOptions {
  /** The folder for the project: missing, empty, or a clone of it. Default: the session's earlier folder here. */
  folder?: string
  /** The hash of the last event, as returned by `out`, which proves that the file was not rewritten. */
  head?: string
  /** The expected session; a file with another one is refused. */
  sessionId?: string
}

/** Moves sessions between homes, so that each is active in at most one of them. */
export interface SessionMoves {
  /** The address of this home: a session is sealed for it. */
  address(): Promise<HomeAddress>
  /**
   * Seals a session for another home and writes it to a file. If it is already sealed for the same home, writes the
   * same file again.
   */
  out(sessionId: string, file: string, to: { address: string; place?: string }): Promise<MovedOut>
  /** Receives a session from a file. */
  in(file: string, options?: ReceiveOptions): Promise<MovedIn>
  /** Records that a move must never be received here, so that it can be canceled at its source. */
  refuse(moveId: string): Promise<void>
  /** Removes the seal from a session; the user has made sure that it was never received elsewhere. */
  cancel(sessionId: string, moveId: string): Promise<SessionHeader>
}

export function createSessionMoves(deps: SessionMovesDeps): SessionMoves {
  const { home, rows, sessions, store, checkpoints } = deps
  const address = (): string => rows.remembered('home.address', () => `home-${randomBytes(10).toString('hex')}`)
  const agentsOf = (sessionId: string): string[] =>
    store
      .agents({ rootId: sessionId })
      .map((agent) => agent.sessionId)
      .toSorted()

  async function out(sessionId: string, path: string, to: Parameters<SessionMoves['out']>[2]): Promise<MovedOut> {
    const file = resolve(path)
    if (isAgentId(sessionId)) throw new CodedError('request.invalid', 'A subagent moves with its session.')
    if (to.address === address()) throw new CodedError('request.invalid', 'The session is in this home already.')
    if (existsSync(file)) throw taken(file)
    removeStale()
    const { sealed } = sessions.header(sessionId)
    if (sealed && existsSync(keptFile(home, sealed.moveId))) return again(sessionId, file, to)
    if (sealed) {
      // The process ended while writing the file, so the session cannot have been received.
      if (!existsSync(partialFile(home, sealed.moveId)))
        throw new CodedError(
          'session.sealed',
          `The file of ${sealed.moveId}, which has the session, is missing from ${home}.`,
        )
      await unseal(sessionId, sealed.moveId, 'incomplete')
    }
    const moved = await sessions.withSession(sessionId, (session) =>
      session.whileIdle(async () => {
        // Checked here, because a turn that ended a moment ago may have started one.
        const task = await deps.runningTask(sessionId)
        if (task !== undefined)
          throw new CodedError(
            'session.busy',
            `Its background task is still running: ${cutText(task, 200)}. Stop it first.`,
          )
        const { place } = to
        const about = {
          moveId: deps.newId('move'),
          from: address(),
          to: to.address,
          ...(place !== undefined && { place }),
        }
        return sealSession({ ...deps, agentsOf }, session, about)
      }),
    )
    try {
      copy(moved.moveId, file)
    } catch (error) {
      // No other computer can have received it.
      await unseal(sessionId, moved.moveId, 'incomplete').catch(() => undefined)
      throw error
    }
    return { ...moved, file }
  }

  /** Writes the same file again. */
  async function again(sessionId: string, file: string, to: { address: string }): Promise<MovedOut> {
    const { sealed } = sessions.header(sessionId)
    if (!sealed || sealed.to !== to.address)
      throw new CodedError('session.sealed', `It is sealed for ${sealed?.place ?? sealed?.to ?? 'another home'}.`)
    const kept = keptFile(home, sealed.moveId)
    const bundle = join(home, 'moves', `${sealed.moveId}.bundle`)
    try {
      const {
        sessions: all,
        contents,
        hasProject,
        head,
      } = await readMove(kept, {
        blobs: checkpoints.blobs,
        bundle,
        accept: () => {},
      })
      const bytes = copy(sealed.moveId, file)
      const events = all.reduce((sum, one) => sum + one.events.length, 0)
      return { moveId: sealed.moveId, sessionId, file, bytes, events, contents: contents.length, hasProject, head }
    } finally {
      rmSync(bundle, { force: true })
    }
  }

  /**
   * Removes files kept for sessions that came back in another way or were deleted, and leftovers of processes that
   * ended during a move.
   */
  function removeStale(): void {
    const folder = join(home, 'moves')
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      const path = join(folder, name)
      const moveId = name.replace(/\.[^.]*$/, '')
      const isKept = path === keptFile(home, moveId)
      if (!isKept && !isAbandoned(path)) continue
      const owner = isKept || path === partialFile(home, moveId) ? sessionOf(path) : undefined
      const sealed = owner === undefined ? undefined : localHeader(owner)?.sealed
      if (sealed?.moveId !== moveId) rmSync(path, { force: true })
    }
  }

  /** Copies the file atomically, so that a failed attempt does not block the next one. */
  function copy(moveId: string, file: string): number {
    mkdirSync(dirname(file), { recursive: true })
    const partial = join(dirname(file), `.trestle-${randomBytes(8).toString('hex')}.part`)
    try {
      copyFileSync(keptFile(home, moveId), partial, constants.COPYFILE_EXCL)
      const { size } = statSync(partial)
      putInPlace(partial, file)
      return size
    } finally {
      rmSync(partial, { force: true })
    }
  }

  async function unseal(sessionId: string, moveId: string, why: 'not_received' | 'incomplete'): Promise<SessionHeader> {
    return sessions.withSession(sessionId, (session) => {
      const { sealed, epoch = 1 } = session.header
      if (sealed?.moveId !== moveId)
        throw new CodedError('request.invalid', `The session is not sealed by the move ${moveId}.`)
      session.record({ type: 'session.unsealed', moveId, epoch, why })
      for (const file of [keptFile(home, moveId), partialFile(home, moveId)]) rmSync(file, { force: true })
      return session.header
    })
  }

  async function receive(file: string, { folder, head, sessionId }: ReceiveOptions): Promise<MovedIn> {
    mkdirSync(join(home, 'moves'), { recursive: true, mode: 0o700 })
    const bundle = join(home, 'moves', `in-${randomBytes(6).toString('hex')}.bundle`)
    try {
      const move = await readMove(resolve(file), {
        blobs: checkpoints.blobs,
        bundle,
        accept({ moveId, to, sessionId: found }) {
          if (sessionId !== undefined && found !== sessionId)
            throw new CodedError('move.damaged', 'It contains a different session from the one that is being moved.')
          if (to !== address())
            throw new CodedError('move.elsewhere', `It is sealed for ${to}; this home is ${address()}.`)
          const seen = rows.outcome(moveId)
          if (seen !== undefined) throw new CodedError('move.repeated', `The move ${moveId} was ${seen} here already.`)
        },
      })
      if (head !== undefined && head !== move.head)
        throw new CodedError('move.damaged', 'The last event in it is not the one that was sealed.')
      const local = localHeader(move.manifest.sessionId)
      if (local)
        return await sessions.withSession(local.sessionId, (session) =>
          session.whileMoved(() => place(move, bundle, session.header, folder, session.follow)),
        )
      return await place(move, bundle, undefined, folder, undefined)
    } finally {
      rmSync(bundle, { force: true })
    }
  }

  function localHeader(sessionId: string): SessionHeader | undefined {
    try {
      return sessions.header(sessionId)
    } catch (error) {
      if (error instanceof CodedError && error.code === 'session.not_found') return undefined
      throw error
    }
  }

  /** Puts everything in its place. The events come last, in one transaction, which makes the session active here. */
  async function place(
    move: ReadMove,
    bundle: string,
    local: SessionHeader | undefined,
    wanted: string | undefined,
    follow: ((events: ReturnType<typeof rows.receive>) => void) | undefined,
  ): Promise<MovedIn> {
    const { manifest, seal, sessions: all, contents, files } = move
    const { moveId, sessionId, epoch, from } = manifest
    if (local && !local.sealed) throw new CodedError('move.conflict', `The session ${sessionId} is active here.`)
    const where = await projectPlace(move, local, wanted)
    const project = seal.project
      ? await unpackProject(deps, {
          moveId,
          top: where.top,
          project: seal.project,
          bundle,
          before: local && sealedProject(sessionId),
        })
      : { state: 'none' as const, notes: [] }
    const folder = await folderInProject(where)
    addRefs(checkpoints.place, sessionId, [], contents)
    for (const { name, data } of files) {
      const path = join(home, 'sessions', sessionId, name)
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(path, data, { mode: 0o600 })
    }
    const fromTop = seal.project ? topOf(manifest.folder, seal.project.folder) : manifest.folder
    const toTop = seal.project ? topOf(folder, seal.project.folder) : folder
    // Even if both have the same path: only changes in these folders can be undone here.
    const moved = [
      { from: fromTop, to: toTop },
      { from: manifest.home, to: home },
    ]
    const last = { type: 'session.received' as const, moveId, epoch: epoch + 1, from, folder, mode: deps.mode(), moved }
    const added = rows.receive({ moveId, sessions: all, last, at: deps.now() })
    if (local?.sealed) rmSync(keptFile(home, local.sealed.moveId), { force: true })
    follow?.(added)
    const header = follow ? sessions.header(sessionId) : sessions.adopt(sessionId)
    return {
      moveId,
      sessionId,
      title: header.title,
      folder,
      epoch: epoch + 1,
      events: all.reduce((sum, { events }) => sum + events.length, 1),
      contents: contents.length,
      project: project.state,
      notes: project.notes,
      head: rows.headOf(sessionId),
    }
  }

  /** The folder of the session, and the top of its project. */
  async function projectPlace(
    { seal }: ReadMove,
    local: SessionHeader | undefined,
    wanted: string | undefined,
  ): Promise<{ folder: string; top: string }> {
    const inside = seal.project?.folder ?? ''
    if (wanted !== undefined) {
      const top = resolve(wanted)
      return { top, folder: join(top, inside) }
    }
    if (local) return { folder: local.folder, top: topOf(local.folder, inside) }
    if (seal.project)
      throw new CodedError('request.invalid', 'Choose where to put the project: an empty folder, or a clone of it.')
    const folder = await deps.makeScratchFolder()
    return { folder, top: folder }
  }

  /** The state of the project when the session left this home. */
  function sealedProject(sessionId: string): MovedProject | undefined {
    return store.ofTypes(sessionId, ['session.sealed']).at(-1)?.project
  }

  return {
    address: async () => ({ address: address() }),
    out,
    in: (file, options = {}) => receive(file, options),
    refuse: async (moveId) => rows.refuse(moveId),
    cancel: (sessionId, moveId) => unseal(sessionId, moveId, 'not_received'),
  }
}

function taken(file: string): CodedError {
  return new CodedError('request.invalid', `There is a file ${file} already. Choose another name.`)
}

/** Renames a file to its final name, unless another file has it. */
function putInPlace(partial: string, file: string): void {
  try {
    // Unlike a rename, a link overwrites nothing.
    linkSync(partial, file)
  } catch {
    // Another file exists, or the file system has no hard links.
    if (existsSync(file)) throw taken(file)
    renameSync(partial, file)
  }
}

/** Temporary files of a move, created here and by `moveSession`. */
const OWN_FILE = /^(?:move|in|on-its-way)-[\w-]+(?:\.part|\.bundle)?$/
/** A move writes to its files continuously and takes minutes. */
const ABANDONED_AFTER_MS = 24 * 60 * 60_000

function isAbandoned(path: string): boolean {
  if (!OWN_FILE.test(basename(path))) return false
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat !== undefined && stat.isFile() && Date.now() - stat.mtimeMs > ABANDONED_AFTER_MS
}

/** The real path of the session's folder, checked to be inside the project: links could lead to any other folder. */
async function folderInProject({ folder, top }: { folder: string; top: string }): Promise<string> {
  const [real, realTop] = [await realFolder(folder), await realFolder(top)]
  const expected = join(realTop, relative(top, folder))
  if (SYSTEM_PATHS.isSame(real.normalize(), expected.normalize())) return real
  throw new CodedError('move.damaged', `The folder of its session, ${folder}, is a link to ${real}.`)
}
