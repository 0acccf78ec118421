import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { CodedError } from '../../../shared/errors'
import type { BlobStore } from '../checkpoint/capture/file-state'
import { eventDigest, firstHash, nextHash, type ChainedEvent } from '../store/chain/event-chain'
import type { ReceivedSession } from '../store/received-sessions'
import { damaged, readMoveFile, type MoveRecord } from './move-file'
import { contentsDigest, movedEvent, moveManifest, PLAN_FILE, sealEvent, type MoveManifest } from './move-manifest'
import { isInFamily } from './move-out'

/** The content of a move file, verified against the seal. */
export interface ReadMove {
  manifest: MoveManifest
  seal: z.output<typeof sealEvent>
  /** The session itself first, then its subagents. */
  sessions: ReceivedSession[]
  contents: string[]
  /** Plans, by their path within the session's folder. */
  files: { name: string; data: Buffer }[]
  hasProject: boolean
  /** The hash of the last event. */
  head: string
}

const WAIT_EVERY = 200

interface Reading extends Omit<ReadMove, 'seal' | 'sessions' | 'head' | 'manifest'> {
  sessions: { sessionId: string; events: ChainedEvent[]; head: string }[]
  parts: { kind: string; name: string; hash: string }[]
}

/**
 * Reads a move file and checks everything in it. Contents go to the content store, where they have no effect until the
 * session refers to them; the project's bundle goes to the file `bundle`. `accept` throws for a move that is not for
 * this home, before anything else is read.
 */
export async function readMove(
  file: string,
  { blobs, bundle, accept }: { blobs: Pick<BlobStore, 'put'>; bundle: string; accept(manifest: MoveManifest): void },
): Promise<ReadMove> {
  let manifest: MoveManifest | undefined
  const reading: Reading = { sessions: [], contents: [], files: [], parts: [], hasProject: false }
  let count = 0
  for (const record of readMoveFile(file)) {
    if (!manifest) {
      manifest = manifestOf(record)
      accept(manifest)
      continue
    }
    take(record, reading, { blobs, bundle })
    count += 1
    if (count % WAIT_EVERY === 0) await nextTurn()
  }
  if (!manifest) throw damaged('it is empty')
  return checked(manifest, reading)
}

/** The session in a move file; undefined if it cannot be read. */
export function sessionOf(file: string): string | undefined {
  const records = readMoveFile(file)
  try {
    const first = records.next()
    return first.done === true ? undefined : manifestOf(first.value).sessionId
  } catch {
    // The file is damaged or from another version.
    return undefined
  } finally {
    records.return()
  }
}

function manifestOf({ kind, data }: MoveRecord): MoveManifest {
  if (kind !== 'move') throw damaged('it is not a move file')
  return parsed(moveManifest, data, 'its first record is not valid, or a newer Trestle wrote it')
}

function take(
  { kind, name = '', data }: MoveRecord,
  reading: Reading,
  { blobs, bundle }: { blobs: Pick<BlobStore, 'put'>; bundle: string },
): void {
  const hash = createHash('sha256').update(data).digest('hex')
  switch (kind) {
    case 'session':
      reading.sessions.push({ sessionId: name, events: [], head: firstHash(name) })
      break
    case 'event':
      takeEvent(data, reading)
      break
    case 'content':
      if (hash !== name) throw damaged(`the content ${name} was changed`)
      blobs.put(data)
      reading.contents.push(hash)
      reading.parts.push({ kind, name, hash })
      break
    case 'file':
      if (!PLAN_FILE.test(name)) throw damaged(`it has a file with the name ${JSON.stringify(name.slice(0, 100))}`)
      reading.files.push({ name, data: Buffer.from(data) })
      reading.parts.push({ kind, name, hash })
      break
    case 'bundle':
      writeFileSync(bundle, data, { mode: 0o600 })
      reading.hasProject = true
      reading.parts.push({ kind, name: '', hash })
      break
    default:
      throw damaged('it has a part that this Trestle does not know')
  }
}

const storedHash = z.tuple([z.unknown(), z.unknown(), z.unknown(), z.unknown(), z.string()])

function takeEvent(data: Buffer, { sessions }: Reading): void {
  const session = sessions.at(-1)
  if (!session) throw damaged('it has an event that belongs to no session')
  const n = session.events.length + 1
  const value: unknown = jsonOf(data)
  const event = movedEvent.safeParse(Array.isArray(value) ? value.slice(0, 4) : value).data
  const hash = storedHash.safeParse(value).data?.[4]
  if (!event || event[0] !== n) throw changed(session.sessionId, n)
  const [seq, at, type, body] = event
  const chained = { seq, at, type, body }
  session.head = nextHash(session.head, eventDigest(chained))
  if (session.head !== hash || typeOf(body) !== type) throw changed(session.sessionId, n)
  session.events.push(chained)
}

/** Verifies the parts against the seal. */
function checked(manifest: MoveManifest, reading: Reading): ReadMove {
  const { moveId, sessionId, epoch, to } = manifest
  const root = reading.sessions.find((one) => one.sessionId === sessionId)
  const agents = reading.sessions.filter((one) => one !== root)
  const last = root?.events.at(-1)
  if (!root || !last) throw damaged('its session is missing')
  const seal = parsed(sealEvent, Buffer.from(last.body), 'the session in it is not sealed')
  if (seal.moveId !== moveId || seal.epoch !== epoch || seal.to !== to) throw damaged('it is sealed for another move')
  const isWhole =
    agents.length === seal.agents.length &&
    seal.agents.every((head) =>
      agents.some(
        (one) => one.sessionId === head.sessionId && one.head === head.hash && one.events.length === head.seq,
      ),
    )
  if (!isWhole || agents.some((one) => !isInFamily(one.sessionId, sessionId)))
    throw damaged('the histories of its subagents are not those that were sealed')
  if (contentsDigest(reading.parts) !== seal.contents || reading.hasProject !== (seal.project !== undefined))
    throw damaged('its contents are not those that were sealed')
  const { contents, files, hasProject } = reading
  return { manifest, seal, sessions: [root, ...agents], contents, files, hasProject, head: root.head }
}

function changed(sessionId: string, n: number): CodedError {
  return new CodedError('move.damaged', `Event ${n} of ${sessionId.slice(0, 100)} was changed since it was recorded.`)
}

function typeOf(body: string): unknown {
  const value: unknown = jsonOf(body)
  return typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
}

function jsonOf(text: string | Buffer): unknown {
  try {
    return JSON.parse(text.toString())
  } catch {
    return undefined
  }
}

function parsed<Schema extends z.ZodType>(schema: Schema, data: Buffer, why: string): z.output<Schema> {
  const result = schema.safeParse(jsonOf(data))
  if (!result.success) throw damaged(why)
  return result.data
}
