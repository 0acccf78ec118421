import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  ProtocolError,
  UrlElicitationRequiredError,
  type Client,
  type RequestId,
  isSpecType,
  type Root,
  type LoggingMessageNotification,
} from '@modelcontextprotocol/client'
import { failureOf } from '../../../../shared/errors'
import type { CallInFlight, ConnectionHooks, ServedConnection } from '../protocol/connection'
import { AskLimits } from './ask-limits'
import { elicit, openPage, unshownBecause, type PageParams } from './elicitation'
import { sample, SamplingRefused, type AskModel } from './sampling'
import { InputRefused, type InputRequest } from '../protocol/request-rounds'
import type { McpLogLine } from '../../../../shared/configuration/customize/mcp'
import { serverText } from '../protocol/server-log'

/** The protocol's error code for a sampling request that the user rejected. */
const USER_REFUSED = -1
const ABANDONED_MESSAGE = 'The server stopped waiting for the answer.'
/** Maximum number of pages whose requests a connection remembers. */
const MAX_PAGES = 100

export interface ClientFeaturesDeps {
  /** Whether the settings currently allow servers to use the model. */
  sampling(): boolean
  askModel: AskModel
  /** The folders of a session. */
  foldersOf(sessionId: string): readonly string[]
  /** Called when a server asked the user for something that cannot be shown; `what`: the end of a sentence. */
  onUnshown(server: string, what: string): void
}

/**
 * Answers requests from servers: forms, pages to open, use of the model, folders. Loads the protocol's library: import
 * it only where that is loaded anyway.
 */
export interface ClientFeatures extends Pick<ConnectionHooks, 'capabilities' | 'prepare' | 'received' | 'answer'> {
  /**
   * Handles a call that failed because pages have to be opened first: asks the user to open them. True when they were
   * opened and the call can be retried; undefined for other failures.
   */
  openPages(connection: ServedConnection, call: CallInFlight, error: unknown): Promise<boolean | undefined>
  /** Notifies servers whose folders have changed. Call when sessions start, end, or change folders. */
  rootsChanged(): void
}

interface Served {
  client: Client
  /** The folders last sent to it, if it ever asked. */
  roots?: string
  /** Aborted when the server reports that a page is done. */
  pages: Map<string, AbortController>
  /** The server's requests being answered, each with the function that withdraws it. */
  open: Map<RequestId, () => void>
}

export function createClientFeatures(deps: ClientFeaturesDeps): ClientFeatures {
  const { sampling, askModel, foldersOf } = deps
  const limits = new AskLimits(deps.onUnshown)
  const all = new Map<ServedConnection, Served>()

  /** Aborts when the server reports that the page is done. */
  function page({ pages }: Served, id: string): AbortController {
    const known = pages.get(id)
    if (known) return known
    const [oldest] = pages.keys()
    if (oldest !== undefined && pages.size >= MAX_PAGES) pages.delete(oldest)
    const made = new AbortController()
    pages.set(id, made)
    return made
  }

  return {
    capabilities: () => ({
      roots: { listChanged: true },
      elicitation: { form: {}, url: {} },
      ...(sampling() && { sampling: {} }),
    }),

    prepare(client, connection) {
      const served: Served = { client, pages: new Map(), open: new Map() }
      all.set(connection, served)
      client.setRequestHandler('roots/list', () => {
        const roots = rootsOf(connection, foldersOf)
        served.roots = JSON.stringify(roots)
        return { roots }
      })
      client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq: { signal, id } }) => {
        if (params.mode === 'url') page(served, params.elicitationId)
        return withdrawable(served, id, signal, (ends) => elicit(limits, connection, params, ends))
      })
      // Replaces the library's own handler, which ignores the request with the number 0: a server's first request.
      client.setNotificationHandler('notifications/cancelled', ({ params: { requestId } }) => {
        if (requestId !== undefined) served.open.get(requestId)?.()
      })
      client.setNotificationHandler('notifications/elicitation/complete', ({ params: { elicitationId } }) => {
        const known = served.pages.get(elicitationId)
        if (!known) return
        known.abort(new Error('The server says that it is done.'))
        connection.log({ from: 'server', level: 'info', text: 'The requested page is done.' })
      })
      client.setNotificationHandler('notifications/message', ({ params }) => connection.log(logLine(params)))
      if (!sampling()) return
      client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq: { signal, id } }) => {
        // It may have been disabled since the capability was declared.
        if (!sampling()) throw new ProtocolError(USER_REFUSED, 'The user has disabled it.')
        try {
          return await withdrawable(served, id, signal, (ends) =>
            sample({ askModel, limits }, connection, params, ends),
          )
        } catch (error) {
          // The server gets a message meant for it, never a stack trace.
          throw new ProtocolError(
            USER_REFUSED,
            error instanceof SamplingRefused ? error.message : failureOf(error).message,
          )
        }
      })
    },

    received(connection, { method, params = {} }) {
      // The library rejects such a request before it reaches the handler.
      if (method === 'elicitation/create' && params['mode'] !== 'url' && !isSpecType.ElicitRequestFormParams(params))
        limits.reportUnshown(connection, unshownBecause(params))
    },

    answer: (connection, call, request, signal) =>
      answerInputRequest(
        { limits, askModel, sampling, roots: () => rootsOf(connection, foldersOf) },
        connection,
        call,
        request,
        signal,
      ),

    async openPages(connection, call, error) {
      const served = all.get(connection)
      if (!served || !(error instanceof UrlElicitationRequiredError)) return undefined
      for (const params of error.elicitations) {
        if ((await openPage(limits, connection, call, params, page(served, params.elicitationId).signal)) !== 'accept')
          return false
      }
      return error.elicitations.length > 0
    },

    rootsChanged() {
      for (const [connection, served] of all) {
        if (!served.client.transport) {
          // It was connected and closed again; one that is not connected yet will ask on its own.
          if (served.client.getServerCapabilities()) all.delete(connection)
          continue
        }
        if (served.roots === undefined || served.roots === JSON.stringify(rootsOf(connection, foldersOf))) continue
        delete served.roots
        // The connection may be closed; notification failures are ignored.
        served.client.sendRootsListChanged().catch(() => undefined)
      }
    },
  }
}

/** Answers a request; `ends` aborts, with a message for the user, when the server cancels it or disconnects. */
async function withdrawable<Answer>(
  { open }: Served,
  id: RequestId,
  closed: AbortSignal,
  answer: (ends: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const ends = new AbortController()
  const end = (): void => ends.abort(new Error(ABANDONED_MESSAGE))
  if (closed.aborted) end()
  closed.addEventListener('abort', end, { once: true })
  open.set(id, end)
  try {
    return await answer(ends.signal)
  } finally {
    open.delete(id)
  }
}

export interface InputRequestDeps {
  limits: AskLimits
  askModel: AskModel
  /** Whether servers can use the model. */
  sampling(): boolean
  roots(): Root[]
}

/** Only older revisions notify the client when a page is done. */
const NEVER_ABORTED = new AbortController().signal

/**
 * Answers what a server of the stateless revision asks for before it answers a request: a form, a page to open, use of
 * the model, folders. Unlike with older servers, the call is known. Rejects with `InputRefused` when no answer is
 * possible; the request then fails with that error.
 */
async function answerInputRequest(
  { limits, askModel, sampling, roots }: InputRequestDeps,
  connection: ServedConnection,
  call: CallInFlight | undefined,
  { method, params }: InputRequest,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  switch (method) {
    case 'roots/list':
      return { roots: roots() }
    case 'elicitation/create':
      if (isPage(params)) {
        if (!call) return { action: 'cancel' }
        return { action: await openPage(limits, connection, call, params, NEVER_ABORTED, signal) }
      }
      if (!isSpecType.ElicitRequestFormParams(params)) {
        const why = unshownBecause(params)
        limits.reportUnshown(connection, why)
        throw new InputRefused(`The server asked for ${why}.`)
      }
      return { ...(await elicit(limits, connection, params, signal, call)) }
    case 'sampling/createMessage':
      if (!sampling()) throw new InputRefused('The server asked for the use of the model, which is disabled.')
      if (!isSpecType.CreateMessageRequestParams(params))
        throw new InputRefused('The server asked the model something that cannot be read.')
      try {
        return { ...(await sample({ askModel, limits }, connection, params, signal, call)) }
      } catch (error) {
        throw error instanceof SamplingRefused ? new InputRefused(error.message) : error
      }
    default:
      throw new InputRefused(`The server asked for something that Trestle does not know: ${method.slice(0, 100)}.`)
  }
}

function isPage(params: Record<string, unknown>): params is PageParams {
  const { mode, message, url } = params
  return mode === 'url' && typeof message === 'string' && typeof url === 'string'
}

const MAX_LOG_CHARS = 2_000
const LEVELS: Readonly<Record<LoggingMessageNotification['params']['level'], McpLogLine['level']>> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warning',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
}

/** A server's log message as a line of its log. */
function logLine({ level, logger, data }: LoggingMessageNotification['params']): Omit<McpLogLine, 'at'> {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return {
    from: 'server',
    level: LEVELS[level],
    text: serverText(logger === undefined ? text : `${logger}: ${text}`, MAX_LOG_CHARS),
  }
}

/** The roots reported to a server: the folders of every session that uses it, without duplicates. */
function rootsOf(connection: ServedConnection, foldersOf: (sessionId: string) => readonly string[]): Root[] {
  const folders = new Set(connection.sessions().flatMap((sessionId) => foldersOf(sessionId)))
  return [...folders]
    .toSorted()
    .map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) || folder }))
}
