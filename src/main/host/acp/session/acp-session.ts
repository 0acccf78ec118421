import { setTimeout as pause } from 'node:timers/promises'
import {
  RequestError,
  type AgentContext,
  type ClientCapabilities,
  type ContentBlock,
  type PromptResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { CodedError } from '../../../../shared/errors'
import type { SessionEvent } from '../../../../shared/events/event'
import type { ClientEngine } from '../../../role/joined/client-engine'
import { editorCapabilities } from './editor-capabilities'
import type { ClientPaths } from '../protocol/client-paths'
import { PromptTracker, type PromptOutcome, promptParts } from './prompt'
import { failureMessage } from '../protocol/json-rpc'
import { configOptions, modeOf } from './session-options'
import { runSlashCommand, slashCommands } from './slash-commands'
import { EventUpdates } from '../protocol/event-updates'
import { conversation, replay } from '../protocol/replay'
import { usageUpdate, UpdateQueue } from '../protocol/update-queue'

export interface AcpSessionDeps {
  engine: ClientEngine
  client: AgentContext
  capabilities: ClientCapabilities
  sessionId: string
  paths: ClientPaths
}

const UPDATE_DRAIN_MS = 1_000
/** Why a project's settings are disabled. */
const UNTRUSTED = {
  asked: "you haven't trusted them yet",
  changed: 'they have changed since you trusted them',
  refused: "you didn't trust them",
} as const

/** One session that a client has open. */
export class AcpSession {
  readonly paths: ClientPaths
  readonly #deps: AcpSessionDeps
  readonly #queue: UpdateQueue
  readonly #updates: EventUpdates
  readonly #prompts: PromptTracker
  readonly #release: (() => void)[] = []
  #optionsAt: NodeJS.Immediate | undefined
  #messageCount = 0
  /** The editor has disconnected, and running turns continue. */
  #hasLeft = false
  /** As last sent to the client. */
  #commands = ''

  constructor(deps: AcpSessionDeps) {
    const { engine, client, capabilities, sessionId, paths } = deps
    this.#deps = deps
    this.paths = paths
    this.#queue = new UpdateQueue({ send: (update) => this.#send(update) })
    this.#prompts = new PromptTracker(() => void this.#stop().catch(() => undefined))
    this.#updates = new EventUpdates({
      queue: this.#queue,
      listen: (id, listener) => engine.sessions.listen(id, listener),
      paths,
      capabilities,
      contextWindow: () => this.#window(),
      onOptions: () => this.#scheduleOptions(),
    })
    const onTerminal = (callId: string, terminalId: string): void => this.#updates.showTerminal(callId, terminalId)
    this.#release.push(
      engine.registerCapabilities(
        sessionId,
        editorCapabilities({ client, sessionId, capabilities, paths, onTerminal }),
      ),
    )
    this.#release.push(engine.sessions.listen(sessionId, (event) => this.#onEvent(event)))
  }

  /** Sends the state of a session the client has just opened, in addition to the response. */
  async introduce(): Promise<void> {
    const { engine, sessionId } = this.#deps
    await this.sendCommands()
    const { context, folder } = engine.sessions.header(sessionId)
    const { state } = await engine.trust.view(folder)
    if (state !== 'nothing' && state !== 'trusted')
      this.notice(
        'warning',
        'Project settings are off',
        `${folder} has its own rules, hooks or servers, and ${UNTRUSTED[state]}. ` +
          'Review them with "trestle permission show", then run "trestle permission trust".',
      )
    const usage = context && usageUpdate(context, this.#window())
    if (usage) this.#queue.sendNow(usage)
  }

  /** Sends the slash commands, if they have changed. */
  async sendCommands(): Promise<void> {
    const { engine, sessionId } = this.#deps
    const availableCommands = await slashCommands(engine, sessionId)
    const serialized = JSON.stringify(availableCommands)
    if (serialized === this.#commands || this.#release.length === 0) return
    this.#commands = serialized
    this.#queue.sendNow({ sessionUpdate: 'available_commands_update', availableCommands })
  }

  /** Sends the conversation so far. */
  async replay(): Promise<void> {
    const { engine, sessionId, paths } = this.#deps
    const header = engine.sessions.header(sessionId)
    const { sessions } = engine
    for await (const update of replay(conversation(header, sessions.since), paths)) await this.#send(update)
    for (const event of sessions.live(sessionId)) this.#updates.onEvent(event)
    this.#queue.sendNow({
      sessionUpdate: 'session_info_update',
      title: header.title,
      updatedAt: new Date(header.updatedAt).toISOString(),
    })
  }

  /** Shows the user a notice outside the conversation, in a form this client supports. */
  notice(severity: 'info' | 'warning', title: string, description?: string): void {
    if (this.#deps.capabilities.session?.notices) {
      this.#queue.sendNow({
        sessionUpdate: 'notice',
        severity,
        title,
        ...(description !== undefined && { description }),
      })
    } else {
      this.#messageCount += 1
      const text = description === undefined ? `${title}\n` : `${title}: ${description}\n`
      this.#queue.chunk('agent_thought_chunk', `trestle-${this.#messageCount}`, text)
    }
  }

  async prompt(prompt: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    const { engine, sessionId } = this.#deps
    const parts = promptParts(prompt, engine.sessions.header(sessionId).folder)
    // When the editor has left, its requests are aborted.
    const cancel = (): void => void (this.#hasLeft || this.cancel().catch(() => undefined))
    signal.addEventListener('abort', cancel, { once: true })
    const watch = this.#prompts.track()
    try {
      const left = await runSlashCommand(engine, sessionId, parts, (text) => this.#sendMessage(text))
      // A client may cancel a prompt before its turn has started.
      if (!left || signal.aborted || watch.isCancelled()) return await this.#answer(left ? 'cancelled' : 'end_turn')
      try {
        const { promptId } = await engine.sessions.prompt(sessionId, left)
        if (promptId !== undefined) watch.queued(promptId)
      } catch (error) {
        return await this.#notStarted(error)
      }
      return await this.#ended(await watch.outcome)
    } finally {
      watch.drop()
      signal.removeEventListener('abort', cancel)
    }
  }

  /** Ends the running turn and drops queued prompts. Resolves when that is recorded. */
  async cancel(): Promise<void> {
    const { engine, sessionId } = this.#deps
    for (const promptId of this.#prompts.cancel())
      engine.sessions.removeQueued(sessionId, promptId).catch(() => undefined)
    await this.#stop()
  }

  flush(): void {
    void this.#queue.flush()
  }

  /** Closes the session; `stops`: also stops the running turn. */
  async close(stops = true): Promise<void> {
    if (stops) await this.cancel()
    else {
      this.#hasLeft = true
      this.#prompts.leave()
    }
    // A client that has stopped reading must not block the exit.
    await Promise.race([this.#queue.flush(), pause(UPDATE_DRAIN_MS, undefined, { ref: false })])
    clearImmediate(this.#optionsAt)
    this.#updates.close()
    this.#queue.close()
    for (const release of this.#release.splice(0)) release()
  }

  #onEvent(event: SessionEvent): void {
    this.#updates.onEvent(event)
    this.#prompts.onEvent(event)
  }

  async #stop(): Promise<void> {
    await this.#deps.engine.sessions.stop(this.#deps.sessionId)
  }

  /** Write errors are ignored: the connection notices a disconnected client. */
  async #send(update: SessionUpdate): Promise<void> {
    const { client, sessionId } = this.#deps
    await client.notify('session/update', { sessionId, update }).catch(() => undefined)
  }

  #sendMessage(text: string): undefined {
    this.#messageCount += 1
    this.#queue.chunk('agent_message_chunk', `trestle-${this.#messageCount}`, text)
  }

  async #answer(stopReason: PromptResponse['stopReason']): Promise<PromptResponse> {
    await this.#queue.flush()
    return { stopReason }
  }

  /** Failures that the user can fix are shown in the conversation; the rest are errors of the request. */
  async #notStarted(error: unknown): Promise<PromptResponse> {
    if (!(error instanceof CodedError) || !['model.not_configured', 'hook.blocked'].includes(error.code)) throw error
    const howTo =
      error.code === 'model.not_configured'
        ? ' Choose one with the model selector of your editor, ' +
          'or add one: start "trestle" (or "trestle serve") and open Settings, then come back.'
        : ''
    this.#sendMessage(`${failureMessage(error.failure)}${howTo}`)
    return this.#answer('end_turn')
  }

  async #ended(end: PromptOutcome): Promise<PromptResponse> {
    await this.#queue.flush()
    if (end === 'removed') return { stopReason: 'cancelled' }
    const { stop, failure } = end
    if (stop === 'error')
      throw new RequestError(-32603, failure ? failureMessage(failure) : 'The turn failed.', failure)
    return { stopReason: stop === 'interrupted' ? 'cancelled' : stop === 'repetition' ? 'max_turn_requests' : stop }
  }

  #window(): number | undefined {
    const { settings, sessions } = this.#deps.engine
    const id = sessions.header(this.#deps.sessionId).model ?? settings.view().defaultModel
    return settings.models().find((model) => model.id === id)?.contextWindow
  }

  /** Merges changes in quick succession into one update with the final state. */
  #scheduleOptions(): void {
    this.#optionsAt ??= setImmediate(() => {
      this.#optionsAt = undefined
      const { engine, sessionId } = this.#deps
      const header = engine.sessions.header(sessionId)
      this.#queue.sendNow({ sessionUpdate: 'current_mode_update', currentModeId: modeOf(header) })
      this.#queue.sendNow({ sessionUpdate: 'config_option_update', configOptions: configOptions(engine, header) })
    })
  }
}
