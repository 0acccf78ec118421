import type { Engine } from '../../src/main/engine/engine-api'
import { CodedError } from '../../src/shared/errors'
import type { SessionHeader } from '../../src/shared/model/session/session'

const HEAD = 'a'.repeat(64)

/** Conversations that consist of a title. */
export function memoryConversations(
  headerOf: (sessionId: string) => SessionHeader,
  create: Engine['sessions']['create'],
): Engine['conversations'] {
  return {
    find: async (sessionId, { query }) =>
      query !== '' && headerOf(sessionId).title.includes(query)
        ? { hits: [{ seq: 1, itemId: 'u1', part: 'message', matches: 1 }], rows: 1, matches: 1 }
        : { hits: [], rows: 0, matches: 0 },
    export: async (sessionId) => ({
      name: 'session.md',
      mediaType: 'text/markdown',
      text: `# ${headerOf(sessionId).title}\n`,
    }),
    async *lines() {},
    import: async () => create({}),
    relink: async (_of, to) => ({ folder: to, moved: 1, busy: 0 }),
  }
}

/** Histories of one event each, all of them valid. */
export function memoryHistories(headerOf: (sessionId: string) => SessionHeader): Engine['histories'] {
  return {
    verify: async (sessionId) => ({
      sessionId,
      title: headerOf(sessionId).title,
      ok: true,
      events: 1,
      withoutHash: 0,
      head: HEAD,
    }),
    verifyAll: async () => ({ ok: true, sessions: 1, events: 1, failed: [] }),
    replay: async (sessionId) => ({ sessionId, title: headerOf(sessionId).title, total: 1, turns: [] }),
    steps: async () => [],
  }
}

/** Moves that do not write files. */
export function memoryMoves(headerOf: (sessionId: string) => SessionHeader): Engine['moves'] {
  return {
    address: async () => ({ address: 'home-0' }),
    out: async (sessionId, file) => ({
      moveId: 'move-0',
      sessionId,
      file,
      bytes: 1,
      events: 1,
      contents: 0,
      hasProject: false,
      head: HEAD,
    }),
    in: async () => {
      throw new CodedError('move.elsewhere', 'It is sealed for another home.')
    },
    refuse: async () => {},
    cancel: async (sessionId) => headerOf(sessionId),
  }
}
