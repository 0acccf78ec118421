import type {
  ConversationMatches,
  ExportedFile,
  ExportFormat,
  RelinkResult,
} from '../../../shared/model/session/conversation'
import type { RecordedEvent } from '../../../shared/events/event'
import type { EventProof } from './exported-chain'
import { CodedError } from '../../../shared/errors'
import { isScratchFolder } from '../../../shared/model/project/scratch-folder'
import type { SessionHeader } from '../../../shared/model/session/session'
import { realFolder } from '../workspace/path/real-path'
import type { SessionManager } from '../session/sessions'
import type { ChainedEvent } from '../store/chain/event-chain'
import type { Store } from '../store/store'
import { createConversationFinder, type FindQuery } from './find-in-conversation'
import { cutText } from '../../../shared/cut-text'

export interface ConversationsDeps {
  store: Store
  sessions: Pick<SessionManager, 'header' | 'adopt' | 'withSession'>
  version: string
  /** The mode of new sessions. */
  mode(): SessionHeader['mode']
  makeScratchFolder(): Promise<string>
  newId(prefix: string): string
  now(): number
  /** Reads all events of a session as they are stored. */
  chained(): Promise<(sessionId: string) => Iterable<ChainedEvent>>
}

/** Actions on whole conversations: searching, exporting and importing them, and changing the project folder. */
export interface Conversations {
  find(sessionId: string, query: FindQuery): Promise<ConversationMatches>
  export(sessionId: string, format: ExportFormat): Promise<ExportedFile>
  /** The events of the current conversation, each with its position in the hash chain. */
  lines(sessionId: string): AsyncGenerator<RecordedEvent & { chain?: EventProof }, void>
  /**
   * Creates a session with the conversation of an exported file. `folder`: its project; absent: none. Throws
   * `request.invalid` if the file is not an exported session, and `history.changed` if its events are not as recorded,
   * unless `unverified` is set.
   */
  import(text: string, folder?: string, options?: { unverified?: boolean }): Promise<SessionHeader>
  /** Changes the folder of one session, or of all sessions in a folder, to the project's new location. */
  relink(of: RelinkTarget, to: string): Promise<RelinkResult>
  close(): void
}

export function createConversations(deps: ConversationsDeps): Conversations {
  const { store, sessions, newId } = deps
  const finder = createConversationFinder(store)

  /** Returns false if the session is running or open in another process. */
  async function moveOne(sessionId: string, from: string, folder: string): Promise<boolean> {
    try {
      return await sessions.withSession(sessionId, (session) => {
        if (session.busy) return false
        session.record({ type: 'session.changed', folder, ...movedFolders(session.header, from, folder) })
        return true
      })
    } catch (error) {
      if (error instanceof CodedError && error.code === 'session.elsewhere') return false
      throw error
    }
  }

  return {
    async find(sessionId, query) {
      sessions.header(sessionId)
      return finder.find(sessionId, query)
    },
    async export(sessionId, format) {
      const header = sessions.header(sessionId)
      const { exportConversation } = await import('./export-conversation')
      return exportConversation(store, header, format, {
        version: deps.version,
        now: deps.now(),
        chained: await deps.chained(),
      })
    },
    async *lines(sessionId) {
      sessions.header(sessionId)
      const [{ conversationEvents }, { chainProofs }] = await Promise.all([
        import('./conversation-blocks'),
        import('./exported-chain'),
      ])
      const events = conversationEvents(store, sessionId)
      const numbers = new Set(events.map(({ seq }) => seq))
      const { proofs } = chainProofs(sessionId, (await deps.chained())(sessionId), (seq) => numbers.has(seq))
      for (const event of events) {
        const chain = proofs.get(event.seq)
        yield chain ? { ...event, chain } : event
      }
    },
    async import(text, folder, options) {
      const { readExportedSession } = await import('./read-exported-session')
      const { info, events, verified } = readExportedSession(text, options)
      const root = folder === undefined ? await deps.makeScratchFolder() : await realFolder(folder)
      const sessionId = newId('session')
      store.create({
        sessionId,
        folder: root,
        title: cutText(info.title.trim(), 200) || 'Imported session',
        mode: deps.mode(),
        addedFolders: [],
        imported: {
          sessionId: info.sessionId,
          folder: info.folder,
          ...(verified !== undefined && { verified }),
        },
      })
      const times = events.map(({ at }) => at)
      store.append(
        sessionId,
        events.map(({ at: _at, ...body }) => body as Parameters<Store['append']>[1][number]),
        // What they cost was spent where they come from, which can be here.
        { times, copied: true },
      )
      // Recorded with the current time, so that it is listed among the latest sessions.
      store.append(sessionId, [{ type: 'session.changed', archived: false }])
      return sessions.adopt(sessionId)
    },
    async relink(of, to) {
      const folder = await realFolder(to)
      const { ids, from } = relinkTarget(store, of)
      if ('folder' in of && isScratchFolder(of.folder))
        throw new CodedError('request.invalid', 'Sessions without a project have folders of their own.')
      let moved = 0
      for (const sessionId of ids) {
        if (!(await moveOne(sessionId, from, folder))) continue
        moved += 1
        for (const agent of store.agents({ rootId: sessionId })) await moveOne(agent.sessionId, from, folder)
      }
      return { folder, moved, busy: ids.length - moved }
    },
    close: () => finder.close(),
  }
}

/** The added folders, with those inside the old folder at their new location. */
function movedFolders({ addedFolders }: SessionHeader, from: string, to: string): { addedFolders?: string[] } {
  if (!addedFolders.some((path) => path.startsWith(`${from}/`))) return {}
  return {
    addedFolders: addedFolders.map((path) => (path.startsWith(`${from}/`) ? to + path.slice(from.length) : path)),
  }
}

/** All sessions of a folder, or one session. */
type RelinkTarget = { folder: string } | { sessionId: string }

/** The sessions and their current folder. Throws if the folder has no sessions. */
function relinkTarget(store: Pick<Store, 'header' | 'list'>, of: RelinkTarget): { ids: string[]; from: string } {
  if ('sessionId' in of) {
    const header = store.header(of.sessionId)
    if (!header) throw new CodedError('session.not_found', `There is no session ${of.sessionId}.`)
    return { ids: [of.sessionId], from: header.folder }
  }
  const ids = store.list({ folder: of.folder }).map(({ sessionId }) => sessionId)
  if (ids.length === 0) throw new CodedError('request.invalid', `There are no sessions in ${of.folder}.`)
  return { ids, from: of.folder }
}
