/** The four protocols the scripted model server speaks. */
export type WireName = 'chat' | 'responses' | 'anthropic' | 'gemini'

export interface ScriptedCall {
  name: string
  /** An object, or the raw text of the arguments, which is sent unchanged, valid or not. */
  input: Record<string, unknown> | string
  id?: string
}

/** Errors of an answer, which can be combined. */
export interface ScriptedFaults {
  /** Answers with this status and `body` instead of a stream. */
  status?: number
  /** A string is sent unchanged, anything else as JSON. Without a `status`, it is sent with 200 instead of a stream. */
  body?: unknown
  headers?: Record<string, string>
  /** Resets the connection after this many bytes of the stream. */
  resetAfterBytes?: number
  /**
   * Stops sending after this many bytes and keeps the connection open until the client disconnects or the server is
   * closed.
   */
  stallAfterBytes?: number
  /** Pauses after this many events, counted from the first one, until `until` has resolved. */
  holds?: readonly { events: number; until: Promise<unknown> }[]
  /** Ends the stream cleanly without its end marker; a number: after this many events. */
  truncate?: true | number
  /** Sends the bytes in separate chunks of this size: splits lines, escapes and UTF-8 sequences. */
  splitBytes?: number
  /** Delay before the answer starts. */
  delayMs?: number
  /** Waits between events. */
  eventDelayMs?: number
  /** An error object in the stream, instead of the end marker. */
  streamError?: { message: string; type?: string; code?: string | number }
}

/** One answer of the scripted model. */
export interface ScriptStep {
  thinking?: string
  text?: string
  toolCalls?: ScriptedCall[]
  usage?: { input?: number; output?: number; cached?: number; thinking?: number }
  /** Default: `tool_calls` if there are calls, otherwise `stop`. */
  finish?: 'stop' | 'tool_calls' | 'length' | 'refusal'
  faults?: ScriptedFaults
  /** Characters per delta; default 12. */
  deltaChars?: number
  /** Gives the same answer this many times; default 1. */
  repeat?: number
  /**
   * Chat only: the field that contains thinking; default `reasoning_content`. An empty `thinking` is sent as an empty
   * field.
   */
  thinkingField?: 'reasoning_content' | 'reasoning'
  /** Chat only: usage in the choice, as Moonshot sends it. */
  usageInChoice?: boolean
}

/** Steps in the order of the requests, or a function of the request. When no step is left, the server answers 500. */
export type ModelScript =
  | readonly ScriptStep[]
  | ((request: RecordedRequest, index: number) => ScriptStep | undefined | Promise<ScriptStep | undefined>)

/** A request received by the server. */
export interface RecordedRequest {
  wire: WireName
  path: string
  headers: Record<string, string | string[] | undefined>
  /** The parsed body. */
  body: Record<string, unknown>
  /** Whether the client closed the connection before the answer was complete. */
  abandoned: boolean
}

/** The text of a call's arguments. */
export function argumentsText(call: ScriptedCall): string {
  return typeof call.input === 'string' ? call.input : JSON.stringify(call.input)
}

/** Splits `text` into pieces of `size` UTF-16 units, but never within a surrogate pair, as no server does that. */
export function piecesOf(text: string, size: number): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + size)
    const last = text.charCodeAt(end - 1)
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end += 1
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}
