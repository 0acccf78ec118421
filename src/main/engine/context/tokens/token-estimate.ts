import type { AssistantPart, Message, ResultPart, UserPart } from '../../../../shared/model/turn/message'
import { IMAGE_TOKEN_FORMULAS, imageTokens } from './image-tokens'
import type { ToolSchema } from '../../model/provider'

/** Bytes per token of ordinary ASCII text and code; a conservative value. */
export const BYTES_PER_TOKEN = 3.2
/** Characters per token of base64, hexadecimal and other text without words. */
const DENSE_PER_TOKEN = 1.6
/** Tokens of a character of Chinese, Japanese or Korean, and of half an emoji. */
const TOKENS_PER_WIDE = 1.1
/** Tokens of any other character beyond ASCII. */
const TOKENS_PER_LETTER = 0.6
/** Tokens of a PDF page in addition to its text, because providers also process each page as an image. */
const TOKENS_PER_PAGE = 1600
const TOKENS_PER_MESSAGE = 8
/**
 * Characters from here are mostly Chinese, Japanese and Korean; halves of surrogate pairs are above it too.
 */
const FIRST_WIDE = 0x2e80
/** Characters per token of sealed thinking, which is longer than its content. */
const SEALED_PER_TOKEN = 4.3
/** Minimum length of an unbroken run of base64 or path characters that can count as text without words. */
const MIN_UNBROKEN = 64
/** Longer runs are processed in pieces, because a pattern cannot match tens of millions of characters. */
const MAX_UNBROKEN = 65_536
/** By character code: the characters of such a run. */
const IN_UNBROKEN = Array.from({ length: 128 }, (_, code) => /[\w+/=-]/.test(String.fromCharCode(code)))

/**
 * The contents of a text, message or request, as a conservative estimate in tokens by kind: ordinary text (`plain`),
 * characters beyond ASCII (`wide`), base64 and the like (`dense`), instructions and tools (`head`), pictures and pages
 * (`media`: by the vendor with the highest count; `byVendor`: by each formula for pictures). A model's actual ratio for
 * the first four is learned; see `TokenCalibration`.
 */
export interface ContentSize {
  plain: number
  wide: number
  dense: number
  head: number
  media: number
  byVendor: readonly number[]
}

const NO_MEDIA: readonly number[] = IMAGE_TOKEN_FORMULAS.map(() => 0)
const sizes = new WeakMap<Message, ContentSize>()

export function emptySize(): ContentSize {
  return { plain: 0, wide: 0, dense: 0, head: 0, media: 0, byVendor: NO_MEDIA }
}

/** The size of a message. Computed once, because messages never change. */
export function sizeOf(message: Message): ContentSize {
  let size = sizes.get(message)
  if (size === undefined) {
    size = { ...emptySize(), plain: TOKENS_PER_MESSAGE }
    addParts(size, message.role === 'tool' ? message.content : message.parts)
    sizes.set(message, size)
  }
  return size
}

/** The model that a message is sent to. */
export interface SentTo {
  /** The id of the model. Default: the one that wrote the answer. */
  modelId?: string
  /** Whether thinking is dropped once anything before it has changed. */
  losesStale?: boolean
}

const withoutThinking = new WeakMap<Message, Message>()

/** The size of a message as sent to a model. */
export function sentSize(message: Message, to: SentTo): ContentSize {
  return sizeOf(withoutLostThinking(message, to))
}

/** Estimated tokens of the thinking that the model would lose if anything before the message changed. */
export function boundTokens(message: Message, to: SentTo): number {
  if (!to.losesStale || message.role !== 'assistant' || message.staleThinking) return 0
  return (
    totalOf(sentSize(message, to)) -
    tokensOf(withoutLostThinking({ ...message, staleThinking: true }, { losesStale: true }))
  )
}

function withoutLostThinking(message: Message, { modelId, losesStale }: SentTo): Message {
  if (message.role !== 'assistant') return message
  const isLost =
    message.thinkingDropped ||
    (losesStale && message.staleThinking) ||
    (modelId !== undefined && message.model !== undefined && message.model !== modelId && isSealed(message.parts))
  if (!isLost) return message
  const known = withoutThinking.get(message)
  if (known) return known
  const parts = message.parts.filter(({ type }) => type !== 'thinking')
  const rest = parts.length === message.parts.length ? message : { ...message, parts }
  withoutThinking.set(message, rest)
  return rest
}

/**
 * Whether only the model that wrote this gets its thinking back. Plain thinking goes to the model's whole family (see
 * `replaysThinking`); here it counts as sent to any model.
 */
function isSealed(parts: readonly AssistantPart[]): boolean {
  return !parts.some((part) => part.type === 'thinking' && part.metadata?.['chat'] !== undefined)
}

/** Adds `other`, multiplied by `times`, to `one`. */
export function addSizes(one: ContentSize, other: ContentSize, times = 1): ContentSize {
  return {
    plain: one.plain + other.plain * times,
    wide: one.wide + other.wide * times,
    dense: one.dense + other.dense * times,
    head: one.head + other.head * times,
    media: one.media + other.media * times,
    byVendor:
      other.media === 0 ? one.byVendor : one.byVendor.map((tokens, index) => tokens + other.byVendor[index]! * times),
  }
}

/** The total estimate. */
export function totalOf({ plain, wide, dense, head, media }: ContentSize): number {
  return plain + wide + dense + head + media
}

/** The token estimate of a message. */
export function tokensOf(message: Message): number {
  return totalOf(sizeOf(message))
}

/** The token estimate of a text. */
export function textTokens(text: string): number {
  const size = emptySize()
  addText(size, text)
  return totalOf(size)
}

/** The token estimate of parts of a message. */
export function partsTokens(parts: readonly (UserPart | AssistantPart | ResultPart)[]): number {
  const size = emptySize()
  addParts(size, parts)
  return totalOf(size)
}

function addParts(size: ContentSize, parts: readonly (UserPart | AssistantPart | ResultPart)[]): void {
  for (const part of parts) {
    if (part.type === 'media') {
      const counts = part.pages === undefined ? imageTokens(part) : NO_MEDIA.map(() => TOKENS_PER_PAGE * part.pages!)
      size.media += Math.max(...counts)
      size.byVendor = size.byVendor.map((tokens, index) => tokens + counts[index]!)
      if (part.pages !== undefined) addText(size, part.text ?? '')
    } else if (part.type === 'tool_call') {
      addText(size, part.input)
      addText(size, part.name)
    } else {
      // Thinking without its signature is not sent back to a model.
      if (part.type === 'thinking' && !part.metadata) continue
      const before = size.plain
      addText(size, part.text)
      // Providers show a summary of the thinking and attach the sealed original.
      if (part.type === 'thinking')
        size.plain = Math.max(size.plain, before + sealedChars(part.metadata) / SEALED_PER_TOKEN)
    }
  }
}

function sealedChars(metadata: object | undefined): number {
  let chars = 0
  for (const of of Object.values(metadata ?? {})) {
    for (const value of Object.values(of as object)) if (typeof value === 'string') chars += value.length
  }
  return chars
}

function addText(size: ContentSize, text: string): void {
  const isAscii = Buffer.byteLength(text) === text.length
  let dense = 0
  for (const run of unbrokenRuns(text)) if (isDense(run)) dense += run.length
  let [wide, letters] = [0, 0]
  if (!isAscii) {
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      if (code >= FIRST_WIDE) wide += 1
      else if (code > 0x7f) letters += 1
    }
  }
  size.dense += dense / DENSE_PER_TOKEN
  size.wide += wide * TOKENS_PER_WIDE + letters * TOKENS_PER_LETTER
  size.plain += (text.length - dense - wide - letters) / BYTES_PER_TOKEN
}

/**
 * The runs of at least 64 characters without a space. In ordinary text only every 64th character is checked, because
 * every run contains one of them.
 */
export function* unbrokenRuns(text: string): Generator<string, void> {
  let searched = 0
  while (searched + MIN_UNBROKEN <= text.length) {
    const probe = searched + MIN_UNBROKEN - 1
    let start = probe + 1
    while (start > searched && IN_UNBROKEN[text.charCodeAt(start - 1)]) start -= 1
    let end = probe + 1
    if (start <= probe) {
      const limit = start + MAX_UNBROKEN
      while (end < limit && IN_UNBROKEN[text.charCodeAt(end)]) end += 1
      if (end - start >= MIN_UNBROKEN) yield text.slice(start, end)
    }
    searched = end
  }
}

/** Long names and paths contain words; dense text does not. */
function isDense(run: string): boolean {
  return (/\d/.test(run) && /[A-Z]/.test(run) && /[a-z]/.test(run)) || /^[\da-f]+$/i.test(run)
}

const written = new WeakMap<ToolSchema, { bytes: number; tokens: number }>()

/** Token counts of instructions, which differ by session and subagent. */
const systems = new Map<string, number>()
const MAX_CACHED_PROMPTS = 50

/**
 * A tool's size in a request: its name, description and schema as JSON. Computed once, because schemas never change.
 */
export function toolSize(schema: ToolSchema): { bytes: number; tokens: number } {
  let size = written.get(schema)
  if (!size) {
    const text = JSON.stringify(schema)
    written.set(schema, (size = { bytes: Buffer.byteLength(text), tokens: textTokens(text) }))
  }
  return size
}

/** Tokens of the tools of a request. */
export function toolTokens(tools: readonly ToolSchema[]): number {
  return tools.reduce((sum, schema) => sum + toolSize(schema).tokens, 0)
}

/**
 * Tokens of a request's instructions and tools. They rarely change, and are needed before each request.
 */
export function prefixTokens(system: string, tools: readonly ToolSchema[]): number {
  let tokens = systems.get(system)
  if (tokens === undefined) {
    if (systems.size >= MAX_CACHED_PROMPTS) systems.clear()
    systems.set(system, (tokens = textTokens(system)))
  }
  return tokens + toolTokens(tools)
}
