/**
 * The words of a conversation: what a user says, what a model answers, what a tool returns.
 * Everything here is plain data that survives JSON, so it can be stored, sent and replayed.
 */

/** A piece of text. */
export interface TextPart {
  type: 'text'
  text: string
}

/** A picture, a video or a PDF as base64. `name`: the file it came from, if any. */
export interface MediaPart {
  type: 'media'
  /** IANA media type, e.g. `image/png`. */
  mediaType: string
  /** Base64, without a data-URL prefix. */
  data: string
  name?: string
  /** For a PDF: its text, page by page, for models that do not accept documents, and its number of pages. */
  text?: string
  pages?: number
}

/** The source of a part of a prompt from an MCP server: a resource by its URI, a prompt by its name. */
export interface AttachedFrom {
  kind: 'resource' | 'prompt'
  server: string
  name: string
}

/** A file that a user attached to a message; it is stored with the session. */
export interface UserFile {
  name: string
  /** Absolute. */
  path: string
  size: number
}

/**
 * What a user can send: text and media, in order. A text with `skill` contains that skill's instructions, inserted if
 * the prompt started with its name; a part with `attached` contains what a server returned for a mention or a command
 * in the prompt; a text with `file` describes an attached file, or contains its content.
 */
export type UserPart =
  | (TextPart & { skill?: string; attached?: AttachedFrom; file?: UserFile })
  | (MediaPart & { attached?: AttachedFrom })

/** What a tool can return to the model. */
export type ResultPart = TextPart | MediaPart

/**
 * Opaque data a provider wants to see again with the part it came with (thinking signatures,
 * item ids). Keyed by provider; never read by anything but the provider adapter.
 */
export type ProviderMetadata = Record<string, Record<string, unknown>>

/** The model's answer text. */
export interface AnswerPart extends TextPart {
  metadata?: ProviderMetadata
}

/** The model's reasoning, shown folded and sent back where the protocol requires it. */
export interface ThinkingPart {
  type: 'thinking'
  text: string
  metadata?: ProviderMetadata
}

/** One tool call as the model wrote it. `input` is the raw JSON text: it may not parse. */
export interface ToolCallPart {
  type: 'tool_call'
  callId: string
  name: string
  input: string
  /** The call that the model actually wrote, if it called this tool through another one; this is sent back to it. */
  sentAs?: { name: string; input: string }
  metadata?: ProviderMetadata
}

export type AssistantPart = AnswerPart | ThinkingPart | ToolCallPart

/** One message of the model's history, in order. `tool` answers the `tool_call` of the same `callId`. */
export type Message =
  | {
      role: 'user'
      parts: UserPart[]
      /** Not written by the user: from the loop, a task notification, a compaction summary, or a D-Mail. */
      by?: 'guard' | 'task' | 'compaction' | 'd-mail'
    }
  | {
      role: 'assistant'
      parts: AssistantPart[]
      /** The id (`provider/model`) of the model that wrote it; absent in old logs, where it is unknown. */
      model?: string
      /**
       * The messages before it have changed since (by a trim, for example), so it is not sent back to models whose
       * thinking is only valid with the same history.
       */
      staleThinking?: true
      /** A provider has rejected the thinking up to here: it is not sent back to any model. */
      thinkingDropped?: true
    }
  | {
      role: 'tool'
      callId: string
      name: string
      /** The name of `ToolCallPart.sentAs`, if the call has one. */
      sentAs?: string
      isError: boolean
      content: ResultPart[]
    }

/** A call's result in the model's history. */
export type ToolMessage = Extract<Message, { role: 'tool' }>

/** Tokens of one request as the provider counted them. `cached` is the part of `input` read from a cache. */
export interface Usage {
  input: number
  output: number
  cached: number
  thinking: number
  /**
   * Tokens of the input that were written to the cache, if the provider reports them; `cached` ones were read from it.
   */
  written?: number
  /** Dollars, by the prices known at the time; absent if unknown. */
  cost?: number
  /** Set in a sum of which a part has no known cost. */
  isCostPartial?: true
}

/** All text of some parts, joined without separators. */
export function textOf(parts: readonly { type: string; text?: string }[]): string {
  return parts.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('')
}

/** Media as a client sends them: without properties that were derived on receipt. */
export function withoutDerivedMedia({ type, mediaType, data, name }: MediaPart): MediaPart {
  return { type, mediaType, data, ...(name !== undefined && { name }) }
}

/** What the user wrote, without the attached files. */
export function typedText(parts: readonly UserPart[]): string {
  return textOf(parts.filter((part) => part.type !== 'text' || part.file === undefined))
}

/** Whether the user wrote or attached this part, rather than Trestle adding it. */
export function isUserProvided(part: UserPart): boolean {
  return part.attached === undefined && (part.type !== 'text' || part.skill === undefined)
}

/** The prompt that continues an interrupted turn. */
export const CONTINUE_PROMPT: readonly UserPart[] = [{ type: 'text', text: 'Continue from where you stopped.' }]
