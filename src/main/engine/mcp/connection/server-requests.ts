import { serverWords } from '../server-words'
import { ChangeStream } from './change-stream'
import type { Connection } from './connection'
import { codeOf, LostError, TimeoutError } from './connection-failure'
import { NO_TIMEOUT, type Established } from './establish'
import { STATELESS } from './greet'
import { looseAnswer } from './greeted-transport'
import { inputRounds } from './input-rounds'
import { listPages } from './list-pages'

/** More of what a server says about its use is not kept. */
const INSTRUCTIONS_CHARS = 8_000
/** Since the stateless revision log messages come with the answers to requests that want them. */
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

const nothing = (): void => undefined

/** What can be asked of a server, the same for both generations of the protocol. */
export function serverRequests({ client, transport, served, hooks, isStateless, sandbox, lost, isOpen, close }: Established): Connection {
  const server = client.getServerVersion()
  const instructions = client.getInstructions()
  const capabilities = client.getServerCapabilities() ?? {}
  const asksForLog = isStateless && capabilities.logging !== undefined
  // Without being asked many servers say nothing, or everything.
  if (!isStateless && capabilities.logging) client.setLoggingLevel('info').catch(() => undefined)

  const once = async (
    method: string,
    params: Record<string, unknown>,
    { signal, onProgress, headers }: Parameters<Connection['request']>[2] & object,
  ): Promise<Record<string, unknown>> => {
    const wasOpen = isOpen()
    const meta = asksForLog && { _meta: { ...(params['_meta'] as object | undefined), [LOG_LEVEL]: 'info' } }
    try {
      return await client.request({ method, params: { ...params, ...meta } }, looseAnswer, {
        timeout: NO_TIMEOUT,
        allowInputRequired: true,
        ...(signal && { signal }),
        ...(onProgress && { onprogress: onProgress }),
        ...(isStateless && headers && { headers }),
      })
    } catch (error) {
      // Told by the connection, not by the code of the error: servers use that one for whatever they like.
      throw wasOpen && !isOpen() && !signal?.aborted ? new LostError(`It went away: ${await lost}.`, { cause: error }) : error
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
      // An error is an answer, too.
      (error: unknown) => isOpen() && (codeOf(error) ?? 0) < 0,
    )

  let listsChanged = nothing
  client.fallbackNotificationHandler = async ({ method }) => {
    if (/^notifications\/(?:tools|prompts|resources)\/list_changed$/.test(method)) listsChanged()
  }
  const changes = isStateless
    ? new ChangeStream({ client, capabilities, missed: () => listsChanged(), log: (line) => served.log(line) })
    : undefined
  changes?.start()

  return {
    served,
    info: { name: text(server?.name), version: text(server?.version), protocolVersion: client.getNegotiatedProtocolVersion() ?? '' },
    capabilities,
    instructions: instructions === undefined ? undefined : serverWords(instructions, INSTRUCTIONS_CHARS).toWellFormed(),
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
            ({ supportedVersions }) => Array.isArray(supportedVersions) && supportedVersions.includes(STATELESS),
            () => false,
          )
        : ping(timeoutMs),
    async close() {
      changes?.stop()
      await close()
    },
  }
}

/** Runs a request that is cancelled after so long. */
async function limited<Result>(ms: number, signal: AbortSignal | undefined, run: (limit: AbortSignal) => Promise<Result>): Promise<Result> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new TimeoutError(`It did not answer within ${Math.round(ms / 1000)} s.`)), ms)
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
