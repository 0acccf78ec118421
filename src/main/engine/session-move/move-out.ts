import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { familyPrefix } from '../../../shared/model/session/agent'
import type { HistoryHead, MovedOut } from '../../../shared/model/place/move'
import type { BlobStore } from '../checkpoint/capture/file-state'
import type { CheckpointPaths } from '../checkpoint/capture/checkpoint-files'
import { eventDigest, firstHash, nextHash, type ChainedEvent } from '../store/chain/event-chain'
import type { ReceivedSessions } from '../store/received-sessions'
import type { Session } from '../session/session'
import { createMoveFile, MOVE_FORMAT, MOVE_VERSION, type MoveFileWriter } from './move-file'
import { contentsDigest, PLAN_FILE, type MoveManifest } from './move-manifest'
import { bundleProject, type BundleDeps } from './project-bundle'

export interface SendDeps extends BundleDeps {
  rows: ReceivedSessions
  checkpoints: { place: CheckpointPaths; blobs: BlobStore }
  /** The ids of the subagents of a session. */
  agentsOf(sessionId: string): string[]
}

/** The move file that is kept until the session comes back. */
export function keptFile(home: string, moveId: string): string {
  return join(home, 'moves', `${moveId}.trestle-move`)
}

/** The path for writing a move file; it exists only while the file is incomplete. */
export function partialFile(home: string, moveId: string): string {
  return join(home, 'moves', `${moveId}.part`)
}

/** One of the parts that move with the events. */
interface Part {
  kind: 'content' | 'file'
  name: string
  /** Its path; absent for a content, which is in the content store under its name. */
  path?: string
}

/**
 * Seals an idle session and writes it, with everything that belongs to it, to the file that is kept in this home. The
 * seal is recorded once everything but its own event has been written.
 */
export async function sealSession(
  deps: SendDeps,
  session: Pick<Session, 'id' | 'header' | 'record'>,
  to: { moveId: string; from: string; to: string; place?: string },
): Promise<Omit<MovedOut, 'file'>> {
  const { home, rows } = deps
  const { id: sessionId, header } = session
  const { moveId } = to
  const folder = join(home, 'moves')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const partial = partialFile(home, moveId)
  const bundle = join(folder, `${moveId}.bundle`)
  const epoch = header.epoch ?? 1
  const manifest: MoveManifest = {
    format: MOVE_FORMAT,
    version: MOVE_VERSION,
    moveId,
    sessionId,
    epoch,
    from: to.from,
    to: to.to,
    folder: header.folder,
    home,
  }
  const file = createMoveFile(partial)
  let isOpen = true
  let isSealed = false
  try {
    const project = await bundleProject(deps, header.folder, moveId, bundle)
    file.add('move', Buffer.from(JSON.stringify(manifest)))
    const parts = partsOf(deps, sessionId)
    const written: { kind: string; name: string; hash: string }[] = []
    for (const part of parts) {
      const data = part.path === undefined ? deps.checkpoints.blobs.get(part.name) : readFileSync(part.path)
      // It was just removed to free space, so it cannot be undone here either.
      if (data === undefined) continue
      file.add(part.kind, data, part.name)
      written.push({ kind: part.kind, name: part.name, hash: sha256(data) })
      await nextTurn()
    }
    if (project) {
      const data = readFileSync(bundle)
      file.add('bundle', data)
      written.push({ kind: 'bundle', name: '', hash: sha256(data) })
    }
    const agents: HistoryHead[] = []
    let events = 0
    for (const agentId of deps.agentsOf(sessionId)) {
      const head = addSession(file, rows, agentId)
      agents.push(head)
      events += head.seq
    }
    const before = addSession(file, rows, sessionId)
    isSealed = true
    const [sealed] = session.record({
      type: 'session.sealed',
      moveId,
      epoch,
      to: to.to,
      ...(to.place !== undefined && { place: to.place }),
      agents,
      contents: contentsDigest(written),
      ...(project && { project }),
    })
    const { sessionId: _id, seq, at, ...body } = sealed!
    const event = { seq, at, type: body.type, body: JSON.stringify(body) }
    const head = nextHash(before.hash, eventDigest(event))
    addEvent(file, event, head)
    file.finish()
    isOpen = false
    renameSync(partial, keptFile(home, moveId))
    isSealed = false
    return {
      moveId,
      sessionId,
      bytes: statSync(keptFile(home, moveId)).size,
      events: events + seq,
      contents: written.filter(({ kind }) => kind === 'content').length,
      hasProject: project !== undefined,
      head,
    }
  } finally {
    if (isOpen) file.close()
    // If this fails too, the partial file shows that it was never complete.
    if (isSealed && session.header.sealed)
      session.record({ type: 'session.unsealed', moveId, epoch, why: 'incomplete' })
    rmSync(partial, { force: true })
    rmSync(bundle, { force: true })
  }
}

function addSession(file: MoveFileWriter, rows: ReceivedSessions, sessionId: string): HistoryHead {
  file.add('session', Buffer.alloc(0), sessionId)
  let head = firstHash(sessionId)
  let seq = 0
  for (const event of rows.events(sessionId)) {
    head = nextHash(head, eventDigest(event))
    addEvent(file, event, head)
    seq = event.seq
  }
  return { sessionId, seq, hash: head }
}

function addEvent(file: MoveFileWriter, { seq, at, type, body }: ChainedEvent, head: string): void {
  file.add('event', Buffer.from(JSON.stringify([seq, at, type, body, head])))
}

/** The contents that the session needs for undo, and its plans. */
function partsOf({ home, checkpoints, agentsOf }: SendDeps, sessionId: string): Part[] {
  const { place, blobs } = checkpoints
  const hashes = new Set<string>()
  for (const id of [sessionId, ...agentsOf(sessionId)]) {
    const refs = place.refs(id)
    if (!existsSync(refs)) continue
    for (const name of readFileSync(refs, 'utf8').split('\n')) if (blobs.has(name)) hashes.add(name)
  }
  const contents = [...hashes].map((name): Part => ({ kind: 'content', name }))
  return [...contents, ...plansOf(home, sessionId).map((plan): Part => ({ kind: 'file', ...plan }))]
}

/** The plans of a session with their names in a move file, without those that a receiver would refuse. */
export function plansOf(home: string, sessionId: string): { name: string; path: string }[] {
  return filesIn(join(home, 'sessions', sessionId, 'plans'), 'plans').filter(({ name }) => PLAN_FILE.test(name))
}

function filesIn(folder: string, name: string): { name: string; path: string }[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const inside = { name: `${name}/${entry.name}`, path: join(folder, entry.name) }
    return entry.isDirectory() ? filesIn(inside.path, inside.name) : entry.isFile() ? [inside] : []
  })
}

function sha256(data: Uint8Array): string {
  return hash('sha256', data, 'hex')
}

/** Whether an id can belong to a subagent of the session. */
export function isInFamily(agentId: string, rootId: string): boolean {
  return agentId.startsWith(familyPrefix(rootId))
}
