import { expect } from 'vitest'
import type { Engine } from '../../src/main/engine/engine-api'
import { isRecorded } from '../../src/shared/events/event'
import { applyHeader, emptyHeader } from '../../src/shared/events/fold-header'
import { applyEvents, initialView, type SessionView } from '../../src/shared/events/session-view'

const ALL = { before: Number.MAX_SAFE_INTEGER, limit: 100_000 }

/**
 * The screen of a client that has been connected from the start; reloaded when the conversation is restored, as clients
 * do.
 */
export function watchView(engine: Engine, sessionId: string): () => SessionView {
  let view = initialView(engine.sessions.header(sessionId), engine.sessions.window(sessionId, ALL).events, false)
  engine.sessions.listen(sessionId, (event) => {
    const goesBack = isRecorded(event) && event.type === 'checkpoint.restored' && event.conversation
    view = goesBack ? opened(engine, sessionId) : applyEvents(view, [event])
  })
  return () => view
}

/** Checks that the log alone gives the same result: the header that the engine uses, and the screen. */
export function expectReplay(engine: Engine, sessionId: string, live: SessionView): void {
  const header = engine.sessions.since(sessionId, 0).reduce(applyHeader, emptyHeader(sessionId))
  expect(header).toEqual(engine.sessions.header(sessionId))
  const replayed = opened(engine, sessionId)
  expect(live.header).toEqual(header)
  expect(live.items).toEqual(replayed.items)
}

function opened(engine: Engine, sessionId: string): SessionView {
  return initialView(engine.sessions.header(sessionId), engine.sessions.window(sessionId, ALL).events, false)
}
