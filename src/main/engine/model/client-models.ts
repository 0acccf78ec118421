import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ClientModel, ModelCallPush } from '../../../shared/model/place/client-model'
import { CodedError, ERRORS, type Failure } from '../../../shared/errors'
import type { ModelChunk, ModelInfo, ModelRequest, Provider } from './provider'

/** Models that a client calls for us, with keys that this engine never sees. */
export interface ClientModels {
  list(): ModelInfo[]
  defaultModel(): string | undefined
  smallModel(): string | undefined
  /** Waits for a client that has the model: its laptop may be closed overnight. */
  provider(id: string): Provider
  /** Offers a client's models until the signal ends; yields the calls to make. */
  serve(offer: ClientOffer, signal?: AbortSignal): AsyncGenerator<ModelCallPush, void, void>
  reply(part: ModelReply): void
  /** Whether an answer is awaited that only a client can provide. */
  isAsking(): boolean
}

export interface ClientOffer {
  models: readonly ClientModel[]
  defaultModel?: string | undefined
  smallModel?: string | undefined
}

export interface ModelReply {
  callId: string
  chunks: readonly object[]
  done?: true | undefined
  failure?: object | undefined
}

interface ServingClient extends ClientOffer {
  queue: ModelCallPush[]
  wake(): void
  calls: Set<string>
}

interface OpenCall {
  chunks: ModelChunk[]
  isDone: boolean
  error: Error | undefined
  wake(): void
}

/** How often a request that waits for a client reports that it is alive, in ms. */
const ALIVE_MS = 5000

/** `file`: where the latest offer is kept, so that its models are known before the client reconnects. */
export function createClientModels({ file, changed }: { file: string; changed(): void }): ClientModels {
  const clients: ServingClient[] = []
  const calls = new Map<string, OpenCall>()
  const waiting = new Set<() => void>()
  let remembered: ClientOffer | undefined
  /**
   * A client disconnected before it answered, and none has connected since: its request is made again, perhaps after a
   * pause.
   */
  let hasLost = false

  const offer = (): ClientOffer => clients.at(-1) ?? (remembered ??= readOffer(file))
  const clientFor = (id: string): ServingClient | undefined =>
    clients.findLast(({ models }) => models.some((model) => model.id === id))
  const wakeAll = (): void => {
    for (const wake of waiting) wake()
  }

  async function available(id: string, request: ModelRequest, signal: AbortSignal): Promise<ServingClient> {
    for (;;) {
      signal.throwIfAborted()
      const client = clientFor(id)
      if (client) return client
      request.alive?.()
      await new Promise<void>((resolve) => {
        const finish = (): void => {
          clearTimeout(timer)
          waiting.delete(finish)
          signal.removeEventListener('abort', finish)
          resolve()
        }
        const timer = setTimeout(finish, ALIVE_MS)
        waiting.add(finish)
        signal.addEventListener('abort', finish, { once: true })
      })
    }
  }

  return {
    list: () => offer().models.map(infoOf),
    defaultModel: () => offer().defaultModel,
    smallModel: () => offer().smallModel,
    provider: (id) => ({
      async *stream(request, signal) {
        const client = await available(id, request, signal)
        const callId = randomBytes(12).toString('hex')
        const call: OpenCall = { chunks: [], isDone: false, error: undefined, wake: () => {} }
        calls.set(callId, call)
        client.calls.add(callId)
        const { alive, sent, ...plain } = request
        client.queue.push({ type: 'call', callId, modelId: id, request: plain as unknown as Record<string, unknown> })
        client.wake()
        sent?.()
        const abort = (): void => call.wake()
        signal.addEventListener('abort', abort, { once: true })
        try {
          for (;;) {
            signal.throwIfAborted()
            const chunk = call.chunks.shift()
            if (chunk) yield chunk
            else if (call.error) throw call.error
            else if (call.isDone) return
            else {
              await new Promise<void>((resolve) => (call.wake = resolve))
              alive?.()
            }
          }
        } finally {
          signal.removeEventListener('abort', abort)
          calls.delete(callId)
          client.calls.delete(callId)
          if (!call.isDone && !call.error) {
            client.queue.push({ type: 'cancel', callId })
            client.wake()
          }
        }
      },
    }),
    async *serve(offered, signal) {
      const client: ServingClient = { ...offered, queue: [], wake: () => {}, calls: new Set() }
      clients.push(client)
      hasLost = false
      remembered = offered
      writeOffer(file, offered)
      changed()
      wakeAll()
      const abort = (): void => client.wake()
      signal?.addEventListener('abort', abort, { once: true })
      try {
        for (;;) {
          if (isAborted(signal)) return
          const push = client.queue.shift()
          if (push) yield push
          else await new Promise<void>((resolve) => (client.wake = resolve))
        }
      } finally {
        signal?.removeEventListener('abort', abort)
        clients.splice(clients.indexOf(client), 1)
        for (const callId of client.calls) {
          const call = calls.get(callId)
          if (!call || call.isDone) continue
          call.error = new CodedError(
            'model.connection',
            'The client that makes the calls to this model has disconnected.',
          )
          hasLost = true
          call.wake()
        }
        changed()
      }
    },
    isAsking: () => calls.size > 0 || waiting.size > 0 || hasLost,
    reply({ callId, chunks, done, failure }) {
      const call = calls.get(callId)
      if (!call || call.isDone || call.error) return
      call.chunks.push(...(chunks as ModelChunk[]))
      if (failure) call.error = failureError(failure)
      else if (done) call.isDone = true
      call.wake()
    },
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

function infoOf({
  id,
  label,
  contextWindow,
  maxOutputTokens,
  toolCalls,
  imagesIn,
  thinking,
  traits,
}: ClientModel): ModelInfo {
  const slash = id.indexOf('/')
  return {
    id,
    model: id.slice(slash + 1),
    label,
    providerId: id.slice(0, slash),
    contextWindow,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    toolCalls,
    imagesIn,
    thinking,
    ...(traits && { traits }),
    origin: 'client',
  }
}

function failureError(value: object): CodedError {
  const { code, message } = value as Partial<Failure>
  const known = typeof code === 'string' && Object.hasOwn(ERRORS, code) ? code : 'model.server'
  return new CodedError(known, typeof message === 'string' ? message.slice(0, 10_000) : '')
}

function readOffer(file: string): ClientOffer {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ClientOffer
  } catch {
    return { models: [] }
  }
}

function writeOffer(file: string, { models, defaultModel, smallModel }: ClientOffer): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify({ models, defaultModel, smallModel }), { mode: 0o600 })
  } catch {
    // The models are then unknown after a restart until a client reconnects.
  }
}
