import { CodedError } from '../../../shared/errors'
import { fieldOf, isJsonObject, type JsonObject } from '../../../shared/json-fields'
import { HeaderList } from '../network/header-list'
import { HttpResponse } from '../network/http-response'
import { modelErrorOfBody } from './errors/model-errors'
import type { Fetch } from '../network/http-fetch'

/** Headers that carry the key; the packages send them even when it is empty. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key']

/** What belongs to one request. */
export interface RequestHooks {
  /** Called whenever bytes of the answer arrive. */
  alive?: (() => void) | undefined
  /** Called once the whole request is on its way. */
  sent?: (() => void) | undefined
  /** Makes the body from the one that the package made. */
  complete?: ((body: string) => Uint8Array<ArrayBuffer>) | undefined
}

/**
 * The `fetch` handed to the provider packages. It refuses answers that are not event streams (a web page, one JSON
 * object) with words that help, never follows a redirect (the key would travel with it), and reports every arrival of
 * bytes.
 */
export function modelFetch(options: {
  fetch: Fetch
  /** Added to every request, over what the package sends. */
  headers: Readonly<Record<string, string>>
  /** Kept out of error messages. */
  secrets: readonly string[]
  /** By the signal of the request, which the packages pass on. */
  hooks: WeakMap<AbortSignal, RequestHooks>
  /** What the package can read of the events of one answer. */
  readable: () => EventFilter
  joined?: EventJoin | undefined
}): Fetch {
  return async (input, init) => {
    const { alive, sent, complete } = (init?.signal && options.hooks.get(init.signal)) ?? {}
    const headers = new HeaderList(init?.headers)
    for (const name of KEY_HEADERS) {
      const value = headers.get(name)
      if (value !== null && value.replace(/^Bearer\b/i, '').trim() === '') headers.delete(name)
    }
    for (const [name, value] of Object.entries(options.headers)) headers.set(name, value)
    const body = complete && typeof init?.body === 'string' ? complete(init.body) : init?.body
    const response = await options.fetch(input, {
      ...init,
      ...(body && { body }),
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
    return withFilteredEvents(alive ? withActivity(stream, alive) : stream, options.readable(), options.joined)
  }
}

/**
 * The good response if it is an event stream; throws when it is not. A missing or odd content type is given the benefit
 * of the doubt.
 */
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
  // Some servers call their event stream JSON.
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

/** The response with what can be read of its events. */
function withFilteredEvents(response: Response, readable: EventFilter, joined?: EventJoin): Response {
  const body = filterEvents(response.body!, readable, joined)
  if (response instanceof HttpResponse) {
    response.body = body
    return response
  }
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
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

/**
 * One event of a stream as the package is to be given it; undefined: not at all. It returns the same object where
 * nothing is to be changed.
 */
export type EventFilter = (event: JsonObject) => JsonObject | undefined

/**
 * Two events that followed each other, as one, where the second only adds text to that of the first; else undefined.
 * Thousands of short pieces that arrive together are then worked on once.
 */
export type EventJoin = (before: JsonObject, event: JsonObject) => JsonObject | undefined

const BLANK_LINE = /\r\n\r\n|\n\r\n|\n\n|\r\r/g
/** The longest blank line may begin so many characters before the end of what has arrived. */
const LONGEST_START = 3
const DATA = 'data:'

/**
 * An event stream in which `readable` has seen every event with a JSON object before the package does: the packages
 * refuse a whole answer for one event or one field that they do not know, and providers add some every month. Whatever
 * is not JSON passes as it is: that is an error, and the package reports it.
 */
function filterEvents(
  stream: ReadableStream<Uint8Array>,
  readable: EventFilter,
  joined?: EventJoin,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader()
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const encoder = new TextEncoder()
  let rest = ''
  /** A changed event, until it is known whether the next one continues it. */
  let held: JsonObject | undefined
  const flush = (): string => {
    const text = held ? `data: ${JSON.stringify(held)}\n\n` : ''
    held = undefined
    return text
  }
  /** Takes the text of one event; what it returns can be passed on. */
  const add = (text: string): string => {
    const event = filterEvent(text, readable)
    if (event === undefined) return ''
    if (typeof event === 'string') return flush() + event
    const both = held && joined?.(held, event)
    const before = both ? '' : flush()
    held = both ?? event
    return before
  }
  const take = (text: string): string => {
    const from = Math.max(0, rest.length - LONGEST_START)
    rest += text
    let out = ''
    let begin = 0
    BLANK_LINE.lastIndex = from
    for (let found = BLANK_LINE.exec(rest); found; found = BLANK_LINE.exec(rest)) {
      out += add(rest.slice(begin, BLANK_LINE.lastIndex))
      begin = BLANK_LINE.lastIndex
    }
    rest = rest.slice(begin)
    return out + flush()
  }
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read()
          // What is left at the end is an event without its blank line.
          const out = done
            ? take(decoder.decode()) + add(rest) + flush()
            : take(decoder.decode(value, { stream: true }))
          if (out !== '') controller.enqueue(encoder.encode(out))
          if (done) controller.close()
          if (done || out !== '') return
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** The event as the package is to be given it; its text where nothing is to be changed. */
function filterEvent(text: string, readable: EventFilter): JsonObject | string | undefined {
  let event: unknown
  try {
    event = JSON.parse(dataOf(text))
  } catch {
    return text
  }
  if (!isJsonObject(event)) return text
  const known = readable(event)
  return known === event ? text : known
}

/** The data of an event; nearly all are one line of it. */
function dataOf(text: string): string {
  if (text.startsWith(DATA) && text.indexOf('\n') === text.length - 2 && !text.includes('\r'))
    return text.slice(DATA.length, -2)
  return text
    .split(/\r\n|\r|\n/)
    .flatMap((line) => (line.startsWith(DATA) ? [line.slice(DATA.length)] : []))
    .join('\n')
}
