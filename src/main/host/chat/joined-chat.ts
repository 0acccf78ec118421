import type { TrestleClient } from '../../../shared/contract'
import { isRecorded, type RecordedEvent } from '../../../shared/events/event'
import { applyHeader } from '../../../shared/events/fold-header'
import type { AppPush } from '../../../shared/events/push'
import { CodedError, failureOf } from '../../../shared/errors'
import type { InboxEntry } from '../../../shared/model/approval'
import type { SettingsView } from '../../../shared/configuration/settings'
import type { SessionHeader } from '../../../shared/model/session'
import type { EngineChange } from '../../engine/engine-api'
import { attachEngine, findEngine, type AttachOptions } from '../../role/attach'
import { differentInEngine, ownProcessText } from '../../role/environment-check'
import { EngineLink } from '../../role/engine-link'
import { connectWire } from '../../wire/wire-client'
import type { ChatEngine } from './chat-engine'

/** How many of the latest events are searched for a restore to take back. */
const LATEST_EVENTS = 1000

/**
 * The chat's view of the engine of the home, if one runs in another process with the same environment. Else undefined;
 * `say` is told why, if one runs.
 */
export async function joinChat(
  options: AttachOptions,
  say: (message: string) => void,
): Promise<ChatEngine | undefined> {
  const found = await findEngine(options)
  if (!found) return undefined
  const wire = connectWire(found.socket)
  const different = await differentInEngine(wire.client, found.key)
  if (different?.length !== 0) {
    wire.close()
    say(ownProcessText('chat', different))
    return undefined
  }
  const link = new EngineLink({
    first: wire,
    open: async () => (await attachEngine(options)).socket,
  })
  const { client } = link
  const [settings, inbox] = await Promise.all([client.settings.get(), client.approval.list()])
  return chatEngine(link, new ChatState(link, settings, inbox))
}

/** What the chat reads at any moment: kept up to date by what the engine pushes. */
class ChatState {
  settings: SettingsView
  inbox: InboxEntry[]
  readonly headers = new Map<string, SessionHeader>()
  readonly listeners = new Set<(change: EngineChange) => void>()
  readonly closed = new AbortController()
  readonly #link: EngineLink
  /** The sessions that are followed: their headers are folded from what was shown. */
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

  listen(sessionId: string, listener: Parameters<ChatEngine['sessions']['listen']>[1]): () => void {
    this.#followed.add(sessionId)
    const stop = this.#link.follow(sessionId, this.header(sessionId).seq, {
      event: (event) => {
        if (isRecorded(event)) this.headers.set(sessionId, applyHeader(this.header(sessionId), event))
        listener(event)
        if (!isRecorded(event)) return
        this.#wake.resolve()
        this.#wake = Promise.withResolvers()
        // Waiters look again after any change.
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

  /** Resolves when what this header says has been shown, so that what follows builds on it. */
  async reach<Header extends SessionHeader>(header: Header): Promise<Header> {
    const { sessionId, seq } = header
    if (!this.#followed.has(sessionId)) this.headers.set(sessionId, header)
    while (this.#followed.has(sessionId) && this.header(sessionId).seq < seq) await this.#wake.promise
    return header
  }

  /** The same for whatever the session is now. */
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
        // After a lost connection it begins with everything.
        if (failureOf(error).code !== 'connection.lost') return
      }
    }
  }

  async #take(push: AppPush): Promise<void> {
    const { client } = this.#link
    if (push.type === 'settings' || push.type === 'models') this.settings = await client.settings.get()
    if (push.type === 'inbox') this.inbox = push.entries
    if (push.type === 'inbox' || push.type === 'settings') this.notify({ kind: push.type })
    if (push.type === 'notice') this.notify({ kind: 'notice', text: push.text, tone: push.tone })
    if (push.type !== 'notification') return
    this.notify({ kind: 'notification', notification: push.notification })
    // It rings once here: there is no button that stops it.
    if (push.notification.source === 'alarm')
      for (const { id, ringsHere } of await client.alarm.list({})) if (ringsHere) await client.alarm.stop({ id })
  }
}

function chatEngine(link: EngineLink, state: ChatState): ChatEngine {
  const { client } = link
  return {
    notices: [],
    problems: () => [],
    sessions: sessionsOf(client, state),
    settings: { view: () => state.settings },
    inbox: {
      list: () => state.inbox,
      get: (sessionId, approvalId) => client.approval.get({ sessionId, approvalId }),
      choices: (sessionId, approvalId) => client.approval.choices({ sessionId, approvalId }),
    },
    plans: {
      enter: async (sessionId) => state.reach(await client.plan.enter({ sessionId })),
      leave: async (sessionId) => state.reach(await client.plan.leave({ sessionId })),
    },
    checkpoints: {
      points: (sessionId) => client.checkpoint.points({ sessionId }),
      preview: (sessionId, request) => client.checkpoint.preview({ sessionId, ...restoreInput(request) }),
      async restore(sessionId, request) {
        const result = await client.checkpoint.restore({ sessionId, ...restoreInput(request) })
        await state.caughtUp(sessionId)
        return result
      },
      async latestRestore(sessionId) {
        const { events } = await client.session.open({ sessionId, limit: LATEST_EVENTS })
        return events.findLast(
          (event): event is RecordedEvent & { type: 'checkpoint.restored' } => event.type === 'checkpoint.restored',
        )
      },
    },
    trust: { view: (folder) => client.trust.get({ folder }) },
    skills: { list: (folder) => client.skill.list({ folder }) },
    agents: { list: (folder) => client.agent.list({ folder }) },
    mcp: { list: (folder) => client.mcp.list(folder === undefined ? {} : { folder }) },
    mcpContent: {
      prompts: (sessionId) => client.mcpContent.prompts({ sessionId }),
      resources: (sessionId, query, limit) => client.mcpContent.resources({ sessionId, query, limit }),
    },
    tasks: {
      list: (filter) => client.task.list({ activeOnly: filter?.activeOnly ?? false }),
      stop: (taskId, reason) => client.task.stop({ taskId, ...(reason !== undefined && { reason }) }),
      onExit: () => 'keep',
    },
    alarms: {
      list: () => [],
      stop: () => {
        throw new CodedError('request.invalid', 'The engine stops its own alarms.')
      },
    },
    onChange(listener) {
      state.listeners.add(listener)
      return () => state.listeners.delete(listener)
    },
    async close() {
      state.closed.abort()
      link.close()
    },
  }
}

function sessionsOf(client: TrestleClient, state: ChatState): ChatEngine['sessions'] {
  return {
    list: (filter) => client.session.list(filter),
    async create({ addedFolders = [], schedule: _none, ...input }) {
      const made = await client.session.create(input)
      const { sessionId } = made
      return state.reach(addedFolders.length > 0 ? await client.session.change({ sessionId, addedFolders }) : made)
    },
    async open(sessionId, limit) {
      const opened = await client.session.open({ sessionId, limit })
      await state.reach(opened.header)
      return opened
    },
    header: (sessionId) => state.header(sessionId),
    change: async (sessionId, change) => state.reach(await client.session.change({ sessionId, ...change })),
    remove: (sessionId) => client.session.remove({ sessionId }),
    async prompt(sessionId, parts) {
      const result = await client.session.prompt({ sessionId, parts })
      await state.caughtUp(sessionId)
      return result
    },
    async stop(sessionId) {
      await client.session.stop({ sessionId })
      await state.caughtUp(sessionId)
    },
    async reply(sessionId, answer) {
      const { approvalId } = answer
      // Answered or gone: it is not asked again, even before the engine has pushed its list.
      const forget = (): void => void (state.inbox = state.inbox.filter((entry) => entry.approvalId !== approvalId))
      try {
        await client.approval.reply({ sessionId, ...answer })
        forget()
      } catch (error) {
        if (error instanceof CodedError && error.code === 'approval.gone') forget()
        throw error
      }
    },
    async removeQueued(sessionId, promptId) {
      await client.session.removeQueued({ sessionId, promptId })
      await state.caughtUp(sessionId)
    },
    async compact(sessionId, instruction) {
      const { compacted } = await client.session.compact({
        sessionId,
        ...(instruction !== undefined && { instruction }),
      })
      await state.caughtUp(sessionId)
      return compacted
    },
    context: (sessionId) => client.session.context({ sessionId }),
    tools: (sessionId) => client.session.tools({ sessionId }),
    completeFile: (sessionId, query, limit) => client.folder.complete({ sessionId, query, limit }),
    listen: (sessionId, listener) => state.listen(sessionId, listener),
  }
}

function restoreInput({ paths, overwrite, ...request }: Parameters<ChatEngine['checkpoints']['restore']>[1]) {
  return {
    ...request,
    ...(paths && { paths: [...paths] }),
    ...(overwrite && { overwrite: overwrite === 'all' ? overwrite : [...overwrite] }),
  }
}
