import type { AgentContext, ClientCapabilities } from '@agentclientprotocol/sdk'
import { failureOf } from '../../../../shared/errors'
import type { InboxEntry } from '../../../../shared/model/approval'
import type { ClientEngine } from '../../../role/joined/client-engine'
import type { ClientPaths } from '../protocol/client-paths'
import { failureMessage } from '../protocol/json-rpc'
import { type RequestAnswer, type PendingRequest, askPermission, askOptions } from './ask-permission'
import { askForm, askLink, askSampling } from './ask-form'
import { askPlan, askQuestions } from './ask-questions'

/** What asking needs of a session that the client has open. */
export interface OpenSession {
  paths: ClientPaths
  /** Sends pending updates: the client must know a call before it is opened to approve it. */
  flush(): void
}

export interface PendingRequestsDeps {
  engine: { inbox: ClientEngine['inbox']; sessions: Pick<ClientEngine['sessions'], 'stop' | 'reply'> }
  client: Pick<AgentContext, 'request'>
  capabilities(): ClientCapabilities
  /** The session, if the client has it open. */
  session(sessionId: string): OpenSession | undefined
  log(message: string): void
}

/** Shows pending requests of the client's sessions and their subagents in the client, and returns the answers. */
export class PendingRequests {
  readonly #deps: PendingRequestsDeps
  readonly #open = new Map<string, AbortController>()

  constructor(deps: PendingRequestsDeps) {
    this.#deps = deps
  }

  /** Call it whenever the inbox has changed. */
  update(): void {
    const { engine, session } = this.#deps
    const waiting = engine.inbox.list().filter((entry) => entry.elsewhere === undefined && session(rootOf(entry)))
    for (const [approvalId, controller] of this.#open) {
      if (waiting.some((entry) => entry.approvalId === approvalId)) continue
      controller.abort()
      this.#open.delete(approvalId)
    }
    for (const entry of waiting) if (!this.#open.has(entry.approvalId)) void this.#ask(entry)
  }

  async #ask(entry: InboxEntry): Promise<void> {
    const { engine, log } = this.#deps
    const { sessionId, approvalId } = entry
    const controller = new AbortController()
    this.#open.set(approvalId, controller)
    try {
      const answer = await this.#requestAnswer(entry, controller.signal)
      if (controller.signal.aborted) return
      if (answer === 'cancelled') await engine.sessions.stop(rootOf(entry))
      else await engine.sessions.reply(sessionId, { approvalId, ...answer })
    } catch (error) {
      if (controller.signal.aborted) return
      await this.#reject(entry, errorMessage(error)).catch((problem: unknown) =>
        log(`A request could not be answered: ${errorMessage(problem)}`),
      )
    }
  }

  async #requestAnswer(entry: InboxEntry, signal: AbortSignal): Promise<RequestAnswer> {
    const { engine, client, capabilities, session } = this.#deps
    const root = rootOf(entry)
    const opened = session(root)
    if (!opened) return 'cancelled'
    const approval = await engine.inbox.get(entry.sessionId, entry.approvalId)
    const ask: PendingRequest = {
      client,
      capabilities: capabilities(),
      sessionId: root,
      paths: opened.paths,
      entry,
      approval,
      signal,
    }
    opened.flush()
    switch (approval.asks) {
      case undefined:
        return askPermission(ask, () => engine.inbox.choices(entry.sessionId, entry.approvalId))
      case 'plan':
        return askPlan(ask)
      case 'questions':
        return askQuestions(ask)
      case 'form':
        return askForm(ask)
      case 'link':
        return askLink(ask)
      case 'sandbox':
      case 'budget':
        return askOptions(ask)
      default:
        return askSampling(ask)
    }
  }

  /** When the client cannot ask, the request is denied. */
  async #reject({ sessionId, approvalId, options }: InboxEntry, why: string): Promise<void> {
    const { engine, log } = this.#deps
    log(`The client could not ask: ${why}`)
    const refusal =
      options.find(({ optionId }) => optionId === 'reject') ?? options.findLast(({ kind }) => kind === 'reject_once')
    if (!refusal) return
    const feedback = `The editor could not ask me about it (${why}). It was not allowed.`
    await engine.sessions.reply(sessionId, { approvalId, optionId: refusal.optionId, feedback })
  }
}

function rootOf({ agent, sessionId }: InboxEntry): string {
  return agent?.rootId ?? sessionId
}

function errorMessage(error: unknown): string {
  return error instanceof Error && error.name !== 'CodedError' ? error.message : failureMessage(failureOf(error))
}
