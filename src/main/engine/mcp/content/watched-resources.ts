import type { Client } from '@modelcontextprotocol/client'
import type { UserPart } from '../../../../shared/model/turn/message'
import type { ServedConnection } from '../protocol/connection'
import type { ContentServer } from './content-server'

const MAX_WATCHED = 1000
const TIMEOUT_MS = 30_000

interface Watched {
  sessionId: string
  server: string
  uri: string
  hasChanged: boolean
}

/**
 * Resources used in conversations. When one changes, the agent is notified once, with the next prompt. Loads the
 * protocol's library.
 */
export class WatchedResources {
  readonly #all = new Map<string, Watched>()

  /** Call for each connection before it is opened. */
  prepare(client: Client, { name }: Pick<ServedConnection, 'name'>): void {
    client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
      let isWatched = false
      for (const watched of this.#all.values()) {
        if (watched.server !== name || watched.uri !== uri || watched.hasChanged) continue
        watched.hasChanged = true
        isWatched = true
      }
      // One notification is enough, no matter how often it changes; a stateless server sends them while its change
      // stream is open.
      if (isWatched && client.getProtocolEra() === 'legacy') client.unsubscribeResource({ uri }).catch(() => undefined)
    })
  }

  /** Call when the conversation has the current content. Best effort: many servers do not report changes. */
  async watch(sessionId: string, server: ContentServer, uri: string): Promise<void> {
    const key = JSON.stringify([sessionId, server.name, uri])
    const [oldest] = this.#all.keys()
    if (this.#all.size >= MAX_WATCHED && oldest !== undefined) this.#all.delete(oldest)
    this.#all.set(key, { sessionId, server: server.name, uri, hasChanged: false })
    await server
      .use((connection) => connection.watchResource(uri, AbortSignal.timeout(TIMEOUT_MS)))
      .catch(() => undefined)
  }

  /** Notifications for the agent about changes since the last prompt, each only once. */
  takeChanges(sessionId: string): UserPart[] {
    return [...this.#all].flatMap(([key, { sessionId: whose, server, uri, hasChanged }]): UserPart[] => {
      if (whose !== sessionId || !hasChanged) return []
      this.#all.delete(key)
      const text =
        `<resource-changed server=${JSON.stringify(server)} uri=${JSON.stringify(uri)}>It ` +
        'has changed since it was given to you.</resource-changed>'
      return [{ type: 'text', attached: { kind: 'resource', server, name: uri }, text }]
    })
  }

  forget(sessionId: string): void {
    for (const [key, watched] of this.#all) if (watched.sessionId === sessionId) this.#all.delete(key)
  }
}
