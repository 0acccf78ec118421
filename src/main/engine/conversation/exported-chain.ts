import { eventDigest, firstHash, nextHash, type ChainedEvent } from '../store/chain/event-chain'
import { z } from 'zod'
import { CodedError } from '../../../shared/errors'
import { isRecord } from '../../../shared/json-fields'

/** An exported event's position in the history, in its field `chain`. */
export interface EventProof {
  hash: string
  /** The digests of the events right before it that are not in the file. */
  leftOut?: string[]
}

/** An exported file's data about the whole history. */
export interface HistoryProof {
  /** How many events there are. */
  events: number
  head: string
  /** The digests of the last events, if they are not in the file. */
  leftOut?: string[]
}

/**
 * Proofs for the events in a file: with the digests of the omitted events, a reader can follow the chain from the first
 * event to the last.
 */
export function chainProofs(
  sessionId: string,
  all: Iterable<ChainedEvent>,
  isIncluded: (seq: number) => boolean,
): { proofs: Map<number, EventProof>; history: HistoryProof } {
  const proofs = new Map<number, EventProof>()
  let head = firstHash(sessionId)
  let events = 0
  let leftOut: string[] = []
  const pending = (): { leftOut?: string[] } => (leftOut.length > 0 ? { leftOut } : {})
  for (const event of all) {
    const digest = eventDigest(event)
    head = nextHash(head, digest)
    events = event.seq
    if (!isIncluded(event.seq)) leftOut.push(digest)
    else {
      proofs.set(event.seq, { hash: head, ...pending() })
      leftOut = []
    }
  }
  return { proofs, history: { events, head, ...pending() } }
}

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const proof = z.object({
  seq: z.int().min(1),
  at: z.int(),
  chain: z.object({ hash, leftOut: z.array(hash).optional() }),
})
const historyProof = z.object({ events: z.int().min(0), head: hash, leftOut: z.array(hash).optional() })

/** The hash of the last event that a file proves to be unchanged; undefined for a file without hashes. */
export type ExportedHead = string | undefined

/**
 * Follows the chain of an exported file. Throws `history.changed` with the number of the first event that is not as it
 * was recorded. `history`: the file's data about the whole history; absent in a list of events.
 */
export function checkExportedChain(sessionId: unknown, values: readonly unknown[], history: unknown): ExportedHead {
  const hasHashes = history !== undefined || values.some((value) => isRecord(value) && 'chain' in value)
  if (!hasHashes) return undefined
  if (typeof sessionId !== 'string') throw changed('The id of its session is missing.')
  let head = firstHash(sessionId)
  let seq = 0
  const skip = (digests: readonly string[] = []): void => {
    for (const digest of digests) head = nextHash(head, digest)
    seq += digests.length
  }
  for (const value of values) {
    const found = proof.safeParse(value).data
    if (!found || !isRecord(value)) throw changed(`Event ${seq + 1} was changed: its hash is missing.`)
    const start = found.seq - (found.chain.leftOut?.length ?? 0)
    if (start > seq + 1) throw changed(`${eventsText(seq + 1, start - 1)} missing.`)
    if (start <= seq) throw changed(`Event ${found.seq} was inserted or stands at another place.`)
    skip(found.chain.leftOut)
    head = nextHash(
      head,
      eventDigest({ seq: found.seq, at: found.at, type: String(value['type']), body: bodyOf(value) }),
    )
    if (head !== found.chain.hash)
      throw changed(`Event ${found.seq} was changed, or something before it that the file leaves out.`)
    seq = found.seq
  }
  if (history === undefined) return head
  const whole = historyProof.safeParse(history).data
  if (!whole) throw changed('What it says about the whole history was changed.')
  const last = whole.events - (whole.leftOut?.length ?? 0)
  if (last > seq) throw changed(`${eventsText(seq + 1, last)} missing.`)
  skip(whole.leftOut)
  if (whole.events !== seq || whole.head !== head) throw changed(`Its end, from event ${last + 1} on, was changed.`)
  return head
}

/** The text of the event as it was recorded. */
function bodyOf(value: Record<string, unknown>): string {
  const { sessionId: _session, seq: _seq, at: _at, chain: _chain, ...body } = value
  return JSON.stringify(body)
}

function eventsText(from: number, to: number): string {
  return to > from ? `Events ${from} to ${to} are` : `Event ${from} is`
}

function changed(why: string): CodedError {
  return new CodedError('history.changed', why)
}
