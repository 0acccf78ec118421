import { eventDigest, firstHash, nextHash, type ChainedEvent } from '../store/chain/event-chain'

/** What an exported event says about its place in the history, as its field `chain`. */
export interface EventProof {
  hash: string
  /** The digests of the events right before it that are not in the file. */
  leftOut?: string[]
}

/** What an exported file says about the whole history. */
export interface HistoryProof {
  /** How many events there are. */
  events: number
  head: string
  /** The digests of the last events, where they are not in the file. */
  leftOut?: string[]
}

/**
 * Proofs for the events that a file has: with the digests of those that it leaves out, a reader can follow the chain from
 * the first event to the last.
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
