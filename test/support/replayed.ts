import { expect } from 'vitest'
import type { Engine } from '../../src/main/engine/engine-api'
import { isRecorded } from '../../src/shared/events/event'
import { applyHeader, emptyHeader } from '../../src/shared/events/fold-header'
import { applyEvents, initialView, type SessionView } from '../../src/shared/events/session-view'

const ALL = { before: Number.MAX_SAFE_INTEGER, limit: 100_000 }

/**
 * What a client has on screen that has been there from the beginning; reloaded when the conversation is restored, as
 * clients do.
 */
export function watchView(engine: Engine, sessionId: string): () => SessionView {
  let view = initialView(engine.sessions.header(sessionId), engine.sessions.window(sessionId, ALL).events, false)
  engine.sessions.listen(sessionId, (event) => {
    const goesBack = isRecorded(event) && event.type === 'checkpoint.restored' && event.conversation
    view = goesBack ? opened(engine, sessionId) : applyEvents(view, [event])
  })
  return () => view
}

/** That the log alone gives the same: the header that the engine goes by, and what is on screen. */
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
