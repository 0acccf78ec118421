import { readMoveFile, createMoveFile } from '../../src/main/engine/session-move/move-file'
import { contentsDigest } from '../../src/main/engine/session-move/move-manifest'
import { eventDigest, firstHash, nextHash } from '../../src/main/engine/store/chain/event-chain'
import { hash } from 'node:crypto'

type Body = Record<string, unknown> & { type: string }

/** Changes that the author of a move file makes in it. */
export interface Forgery {
  /** Events that are added to the session, before its seal. */
  events?: readonly Body[]
  /** Subagents with all their events. */
  agents?: readonly { sessionId: string; events: readonly Body[]; at?: number }[]
  contents?: readonly Buffer[]
  /** The folder of the session in the project, according to the seal. */
  folder?: string
}

/** Writes a changed copy of a move file, with all its hashes correct. */
export function forgeMove(file: string, forged: string, { events = [], agents = [], contents = [], folder }: Forgery) {
  const out = createMoveFile(forged)
  const parts: { kind: string; name: string; hash: string }[] = []
  const own: { at: number; body: Body }[] = []
  let rootId = ''
  for (const { kind, name = '', data } of readMoveFile(file)) {
    if (kind === 'session') rootId = name
    else if (kind === 'event') {
      const [, at, , body] = JSON.parse(data.toString('utf8')) as [number, number, string, string]
      own.push({ at, body: JSON.parse(body) as Body })
    } else {
      out.add(kind, data, kind === 'content' || kind === 'file' ? name : undefined)
      if (kind !== 'move') parts.push({ kind, name, hash: hash('sha256', data, 'hex') })
    }
  }
  for (const data of contents) {
    const name = hash('sha256', data, 'hex')
    out.add('content', data, name)
    parts.push({ kind: 'content', name, hash: name })
  }
  const seal = own.pop()!
  const addHistory = (sessionId: string, history: readonly { at: number; body: Body }[]) => {
    out.add('session', Buffer.alloc(0), sessionId)
    let head = firstHash(sessionId)
    for (const [index, { at, body }] of history.entries()) {
      const event = { seq: index + 1, at, type: body.type, body: JSON.stringify(body) }
      head = nextHash(head, eventDigest(event))
      out.add('event', Buffer.from(JSON.stringify([event.seq, at, event.type, event.body, head])))
    }
    return { sessionId, seq: history.length, hash: head }
  }
  const { at } = seal
  const heads = agents.map((agent) =>
    addHistory(
      agent.sessionId,
      agent.events.map((body) => ({ at: agent.at ?? at, body })),
    ),
  )
  const project = seal.body['project'] as object
  const sealed: Body = {
    ...seal.body,
    agents: heads,
    contents: contentsDigest(parts),
    ...(folder !== undefined && { project: { ...project, folder } }),
  }
  addHistory(rootId, [...own, ...events.map((body) => ({ at, body })), { at, body: sealed }])
  out.finish()
}
