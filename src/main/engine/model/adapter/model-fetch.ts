import { CodedError } from '../../../../shared/errors'
import { fieldOf } from '../../../../shared/json-fields'
import { HeaderList } from '../../network/header-list'
import { HttpResponse } from '../../network/http-response'
import { modelErrorOfBody } from '../errors/model-errors'
import type { Fetch } from '../../network/http-fetch'
import { filterEvents, type EventFilter, type AnswerPieces } from '../protocol/event-stream'

/** Headers that carry the key; the packages send them even when it is empty. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key']

/** Hooks of one request. */
export interface RequestHooks {
  /** Called whenever bytes of the answer arrive. */
  alive?: (() => void) | undefined
  /** Called once the whole request has been sent. */
  sent?: (() => void) | undefined
  /** Builds the body to send, in pieces, from the body that the package built. */
  complete?: ((body: string) => readonly Uint8Array<ArrayBuffer>[]) | undefined
}

/**
 * The `fetch` handed to the provider packages. It rejects answers that are not event streams (a web page, a JSON
 * object) with a helpful message, never follows a redirect (which would send the key along), and reports every arrival
 * of bytes.
 */
export function modelFetch(options: {
  fetch: Fetch
  /** Added to every request; they override the package's headers. */
  headers: Readonly<Record<string, string>>
  /** Kept out of error messages. */
  secrets: readonly string[]
  /** Keyed by the signal of the request, which the packages pass through. */
  hooks: WeakMap<AbortSignal, RequestHooks>
  /** Filters the events of one answer down to what the package can read. */
  readable: () => EventFilter
  pieces?: AnswerPieces | undefined
}): Fetch {
  return async (input, init) => {
    const { alive, sent, complete } = (init?.signal && options.hooks.get(init.signal)) ?? {}
    const headers = new HeaderList(init?.headers)
    for (const name of KEY_HEADERS) {
      const value = headers.get(name)
      if (value !== null && value.replace(/^Bearer\b/i, '').trim() === '') headers.delete(name)
    }
    for (const [name, value] of Object.entries(options.headers)) headers.set(name, value)
    const pieces = complete && typeof init?.body === 'string' ? complete(init.body) : undefined
    const body = pieces && !options.fetch.takesPieces ? Buffer.concat(pieces) : init?.body
    const response = await options.fetch(input, {
      ...init,
      ...(body && { body }),
      ...(pieces && { pieces }),
      headers: Object.fromEntries(headers),
      redirect: 'manual',
      ...(sent && { sent }),
    })
    sent?.()
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel()
      const to = response.headers.get('location')
      throw new CodedError(
        'model.bad_request',
        `The server sends elsewhere${to ? `, to ${to}` : ''} (HTTP ${response.status}). Use that as the base URL.`,
      )
    }
    if (!response.ok) return response
    const stream = await eventStream(response, options.secrets)
    if (!stream.body) return stream
    return withFilteredEvents(alive ? withActivity(stream, alive) : stream, options.readable(), options.pieces)
  }
}

/** Returns the successful response if it is an event stream; throws if not. Accepts a missing or odd content type. */
async function eventStream(response: Response, secrets: readonly string[]): Promise<Response> {
  const type = response.headers.get('content-type')?.toLowerCase() ?? ''
  if (type.includes('html')) {
    await response.body?.cancel()
    throw new CodedError(
      'model.bad_request',
      'A web page answered, not a model server. Check the base URL; it often ends in /v1.',
    )
  }
  if (!/\bjson\b/.test(type)) return response
  const text = await response.text()
  // Some servers label their event stream as JSON.
  if (/^\s*(?:data|event|id|retry|):/.test(text))
    return new Response(text, { status: response.status, headers: response.headers })
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new CodedError(
      'model.incomplete',
      `The server answered with broken JSON instead of a stream: ${text.slice(0, 300)}`,
    )
  }
  const root: unknown = Array.isArray(body) ? body[0] : body
  if (fieldOf(root, 'error') !== undefined || fieldOf(root, 'type') === 'error')
    throw modelErrorOfBody(body, response.status, secrets)
  throw new CodedError('model.bad_request', `The server did not stream its answer: ${text.slice(0, 300)}`)
}

/** The response, with its events filtered by `readable`. */
function withFilteredEvents(response: Response, readable: EventFilter, pieces?: AnswerPieces): Response {
  const body = filterEvents(response.body!, readable, pieces)
  if (response instanceof HttpResponse) {
    const own: HttpResponse = response
    own.body = body
    return response
  }
  const { status, statusText, headers } = response
  return new Response(ReadableStream.from(body), { status, statusText, headers })
}

/** The response with `alive` called on every arrival. */
function withActivity(response: Response, alive: () => void): Response {
  if (response instanceof HttpResponse) {
    response.alive = alive
    return response
  }
  const reader = response.body!.getReader()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      alive()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
}
