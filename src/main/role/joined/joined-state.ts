import { isRecorded, type SessionEvent } from '../../../shared/events/event'
import { applyHeader } from '../../../shared/events/fold-header'
import type { AppPush } from '../../../shared/events/push'
import { CodedError, failureOf } from '../../../shared/errors'
import type { InboxEntry } from '../../../shared/model/approval/approval'
import type { SettingsView } from '../../../shared/configuration/settings'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { EngineChange } from '../../engine/foundation/engine-options'
import type { EngineLink } from '../engine-link'

/** State that a client can read at any time; the engine's pushes keep it up to date. */
export class JoinedState {
  settings: SettingsView
  inbox: InboxEntry[]
  readonly headers = new Map<string, SessionHeader>()
  readonly listeners = new Set<(change: EngineChange) => void>()
  readonly closed = new AbortController()
  readonly #link: EngineLink
  /** The followed sessions: their headers are folded from the events shown so far. */
  readonly #followed = new Set<string>()
  #wake = Promise.withResolvers<void>()

  constructor(link: EngineLink, settings: SettingsView, inbox: InboxEntry[]) {
    this.#link = link
    this.settings = settings
    this.inbox = inbox
    void this.#watch()
  }

  header(sessionId: string): SessionHeader {
    const header = this.headers.get(sessionId)
    if (!header) throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
    return header
  }

  /** The header of a session, whether or not it is followed. */
  async read(sessionId: string): Promise<SessionHeader> {
    if (this.#followed.has(sessionId)) return this.header(sessionId)
    return (await this.#link.client.session.open({ sessionId, limit: 1 })).header
  }

  /** Every event after the known header; of an unknown session, from the start. */
  listen(sessionId: string, listener: (event: SessionEvent) => void): () => void {
    this.#followed.add(sessionId)
    const stop = this.#link.follow(sessionId, this.headers.get(sessionId)?.seq ?? 0, {
      event: (event) => {
        const header = this.headers.get(sessionId)
        if (isRecorded(event) && header) this.headers.set(sessionId, applyHeader(header, event))
        listener(event)
        if (!isRecorded(event)) return
        this.#wake.resolve()
        this.#wake = Promise.withResolvers()
        // Waiters check again after any change.
        this.notify({ kind: 'settings' })
      },
      failed: () => {
        this.#followed.delete(sessionId)
        this.#wake.resolve()
      },
    })
    return () => {
      this.#followed.delete(sessionId)
      stop()
    }
  }

  /** Resolves when the events of this header have been shown, so that the caller can build on it. */
  async reach<Header extends SessionHeader>(header: Header): Promise<Header> {
    const { sessionId, seq } = header
    if (!this.#followed.has(sessionId)) this.headers.set(sessionId, header)
    while (this.#followed.has(sessionId) && this.header(sessionId).seq < seq) await this.#wake.promise
    return header
  }

  /** The same for the current state of the session. */
  async caughtUp(sessionId: string): Promise<void> {
    const { header } = await this.#link.client.session.open({ sessionId, limit: 1 })
    await this.reach(header)
  }

  notify(change: EngineChange): void {
    for (const listener of this.listeners) listener(change)
  }

  async #watch(): Promise<void> {
    const { client } = this.#link
    while (!this.closed.signal.aborted) {
      try {
        for await (const push of await client.push.app(undefined, { signal: this.closed.signal }))
          await this.#take(push)
      } catch (error) {
        // After a lost connection, the subscription starts with the complete state.
        if (failureOf(error).code !== 'connection.lost') return
      }
    }
  }

  async #take(push: AppPush): Promise<void> {
    const { client } = this.#link
    if (push.type === 'settings' || push.type === 'models') this.settings = await client.settings.get()
    if (push.type === 'inbox') this.inbox = push.entries
    if (push.type === 'inbox' || push.type === 'settings' || push.type === 'mcp') this.notify({ kind: push.type })
    if (push.type === 'notice') this.notify({ kind: 'notice', text: push.text, tone: push.tone })
    if (push.type !== 'notification') return
    this.notify({ kind: 'notification', notification: push.notification })
    // It rings only once here: there is no button to stop it.
    if (push.notification.source === 'alarm')
      for (const { id, ringsHere } of await client.alarm.list({})) if (ringsHere) await client.alarm.stop({ id })
  }
}
