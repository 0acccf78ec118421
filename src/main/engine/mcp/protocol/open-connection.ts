import { CodedError } from '../../../../shared/errors'
import type { McpServerDefinition } from '../../../../shared/configuration/customize/mcp'
import {
  type Connection,
  type ConnectionPlan,
  type KnownServer,
  codeOf,
  connectionFailure,
  LostError,
  TimeoutError,
} from './connection'
import { establish, NO_TIMEOUT, type Established } from './establish'
import { EndedDuringHandshake, SettledOnOlderRevision, STATELESS_REVISION } from './handshake'
import { RESTART_MESSAGES, serverText } from './server-log'
import { ChangeStream } from './change-stream'
import { looseResult } from './transport-wrappers'
import { inputRounds, listPages } from './request-rounds'

/**
 * Connects and initializes. Rejects with a `CodedError` that explains what went wrong, after everything it started has
 * ended.
 */
export async function openConnection(plan: ConnectionPlan): Promise<Connection> {
  const { definition, signal, known = {} } = plan
  try {
    return await connect(plan, definition, known)
  } catch (error) {
    // Some programs exit if they receive a request before `initialize`; others would have exited anyway, and will do so
    // again.
    if (
      error instanceof EndedDuringHandshake &&
      definition.transport === 'stdio' &&
      !known.endsAtDiscover &&
      !signal?.aborted
    ) {
      known.endsAtDiscover = true
      plan.log({ from: 'connection', level: 'info', text: RESTART_MESSAGES.olderOnly })
      return openConnection({ ...plan, known })
    }
    if (error instanceof SettledOnOlderRevision && !signal?.aborted) {
      known.settledOnOlder = true
      known.version = STATELESS_REVISION
      plan.log({ from: 'connection', level: 'info', text: RESTART_MESSAGES.newerOnly })
      return openConnection({ ...plan, known })
    }
    // A server from before 2025-03-26 does not support streamable HTTP: it rejects the first message like this, and the
    // older transport is tried.
    const code = codeOf(error)
    if (definition.transport === 'http' && (code === 400 || code === 404 || code === 405) && !signal?.aborted) {
      const older = await connect(plan, { ...definition, transport: 'sse' }, known).catch(() => undefined)
      if (older) return older
    }
    // Not every transport passes on the error that fetch threw.
    const wants =
      definition.transport === 'stdio' || error instanceof CodedError
        ? undefined
        : plan.hooks.auth.view(definition)?.wants
    throw wants === undefined
      ? connectionFailure(error, definition)
      : new CodedError('mcp.sign_in', wants, { cause: error })
  }
}

async function connect(plan: ConnectionPlan, definition: McpServerDefinition, known: KnownServer): Promise<Connection> {
  const connection = serverRequests(await establish(plan, definition, known))
  known.version = connection.info.protocolVersion
  return connection
}

/** Maximum length of a server's instructions. */
const INSTRUCTIONS_CHARS = 8_000
/** Since the stateless revision, log messages come with responses, for requests that ask for them. */
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

const nothing = (): void => undefined

/** The requests to a server, the same for both generations of the protocol. */
function serverRequests({
  client,
  transport,
  served,
  hooks,
  isStateless,
  sandbox,
  lost,
  isOpen,
  close,
}: Established): Connection {
  const server = client.getServerVersion()
  const instructions = client.getInstructions()
  const capabilities = client.getServerCapabilities() ?? {}
  const asksForLog = isStateless && capabilities.logging !== undefined
  // Unless asked, many servers log nothing, or everything.
  if (!isStateless && capabilities.logging) client.setLoggingLevel('info').catch(() => undefined)

  const once = async (
    method: string,
    params: Record<string, unknown>,
    { signal, onProgress, headers }: Parameters<Connection['request']>[2] & object,
  ): Promise<Record<string, unknown>> => {
    const wasOpen = isOpen()
    const meta = asksForLog && { _meta: { ...(params['_meta'] as object | undefined), [LOG_LEVEL]: 'info' } }
    try {
      return await client.request({ method, params: { ...params, ...meta } }, looseResult, {
        timeout: NO_TIMEOUT,
        allowInputRequired: true,
        ...(signal && { signal }),
        ...(onProgress && { onprogress: onProgress }),
        ...(isStateless && headers && { headers }),
      })
    } catch (error) {
      // Detected by the connection, not by the error's code, which servers use for anything.
      throw wasOpen && !isOpen() && !signal?.aborted
        ? new LostError(`It went away: ${await lost}.`, { cause: error })
        : error
    }
  }
  const request: Connection['request'] = (method, params, limits = {}) =>
    isStateless
      ? inputRounds(
          params,
          (next) => once(method, next, limits),
          (wanted, ends) => hooks.answer(served, limits.call, wanted, ends),
          limits.signal,
        )
      : once(method, params, limits)
  const alive = (timeoutMs: number): Promise<Record<string, unknown>> =>
    limited(timeoutMs, undefined, (limit) => once(isStateless ? 'server/discover' : 'ping', {}, { signal: limit }))
  const ping: Connection['ping'] = (timeoutMs) =>
    alive(timeoutMs).then(
      () => true,
      // An error response is also a response.
      (error: unknown) => isOpen() && (codeOf(error) ?? 0) < 0,
    )

  let listsChanged = nothing
  client.fallbackNotificationHandler = async ({ method }) => {
    if (/^notifications\/(?:tools|prompts|resources)\/list_changed$/.test(method)) listsChanged()
  }
  const changes = isStateless
    ? new ChangeStream({ client, capabilities, onMissed: () => listsChanged(), log: (line) => served.log(line) })
    : undefined
  changes?.start()

  return {
    served,
    info: {
      name: text(server?.name),
      version: text(server?.version),
      protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    },
    capabilities,
    instructions: instructions === undefined ? undefined : serverText(instructions, INSTRUCTIONS_CHARS).toWellFormed(),
    pid: 'pid' in transport && typeof transport.pid === 'number' ? transport.pid : undefined,
    sandbox,
    lost,
    get isOpen() {
      return isOpen()
    },
    get hasSession() {
      return transport.sessionId !== undefined
    },
    isStateless,
    takesHeaders: isStateless && transport.hasPerRequestStream === true,
    request,
    async list(method, key, timeoutMs, signal) {
      const deadline = performance.now() + timeoutMs
      const ttls: number[] = []
      const page = (cursor: string | undefined): Promise<Record<string, unknown>> =>
        limited(Math.max(deadline - performance.now(), 1000), signal, (limit) =>
          request(method, cursor === undefined ? {} : { cursor }, { signal: limit }),
        ).then((got) => {
          if (typeof got['ttlMs'] === 'number') ttls.push(got['ttlMs'])
          return got
        })
      const listed = await listPages(page, key, { now: () => performance.now(), deadline })
      return ttls.length > 0 ? { ...listed, ttlMs: Math.min(...ttls) } : listed
    },
    onListsChanged(changed) {
      listsChanged = changed
    },
    async watchResource(uri, signal) {
      if (capabilities.resources?.subscribe !== true) return
      if (changes) await changes.watch(uri)
      else await request('resources/subscribe', { uri }, signal && { signal })
    },
    ping,
    isStillAgreed: (timeoutMs) =>
      isStateless
        ? alive(timeoutMs).then(
            ({ supportedVersions }) =>
              Array.isArray(supportedVersions) && supportedVersions.includes(STATELESS_REVISION),
            () => false,
          )
        : ping(timeoutMs),
    async close() {
      changes?.stop()
      await close()
    },
  }
}

/** Runs a request with a timeout, after which it is cancelled. */
async function limited<Result>(
  ms: number,
  signal: AbortSignal | undefined,
  run: (limit: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController()
  const timer = setTimeout(
    () => late.abort(new TimeoutError(`It did not answer within ${Math.round(ms / 1000)} s.`)),
    ms,
  )
  try {
    return await run(signal ? AbortSignal.any([signal, late.signal]) : late.signal)
  } catch (error) {
    throw late.signal.aborted ? late.signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : ''
}
