import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ToolSchema } from '../provider'
import type { ShortPrompt } from './protocol'

type Item = LanguageModelV4Message | Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number]
type Bytes = Uint8Array<ArrayBuffer>

/** The items of a request. */
interface Items {
  all: readonly Item[]
  /** The indexes of items that were not sent before; the package converts them, in this order. */
  fresh: readonly number[]
}

const COMMA = Buffer.from(',')
const MARKED = /("(?:messages|tools)":)"(messages-\d+)"/g
const BLOCK_BYTES = 256 * 1024

/** The package's conversion of a request, taken out of its body. */
interface Converted {
  messages: readonly unknown[]
  tools: unknown
}

/**
 * Bodies of Chat Completions in which each message and each list of tools is serialized once instead of at every step.
 * The package converts each message independently, so earlier conversions stay valid: it gets only the new messages,
 * and the others are sent from their stored JSON.
 */
export class ChatBodies {
  /** Where each sent message is stored, for as long as the prompt's object lives. */
  readonly #written = new WeakMap<Item, { run: MessageRun; index: number }>()
  /** By the first message of each conversation. */
  readonly #runs = new WeakMap<Item, MessageRun>()
  /** The package's conversion of a request, kept between its two calls to us. */
  readonly #converted = new Map<string, Converted>()
  readonly #tools = new WeakMap<readonly ToolSchema[], Bytes>()
  #count = 0

  /** `tools`: the tools of the request; the same array means the same tools. */
  shorten(prompt: LanguageModelV4Prompt, tools: readonly ToolSchema[]): ShortPrompt {
    const short: LanguageModelV4Prompt = []
    const all: Item[] = []
    const freshItems: number[] = []
    const known = this.#runOf(prompt)
    /** How many leading items match the run, so that they need no lookup. */
    let same = 0
    const isFresh = (item: Item): boolean => {
      const index = all.push(item) - 1
      if (known && index === known.from + same && known.run.holds(same, item)) {
        same += 1
        return false
      }
      if (this.#written.has(item)) return false
      freshItems.push(index)
      return true
    }
    for (const message of prompt) {
      if (message.role === 'tool') {
        // Each result becomes a separate message.
        const fresh = message.content.filter(isFresh)
        if (fresh.length > 0) short.push({ ...message, content: fresh })
      } else if (isFresh(message)) short.push(message)
    }
    return { prompt: short, complete: (body) => this.#complete(body, { all, fresh: freshItems }, tools) }
  }

  /** For the package's `transformRequestBody`: replaces the messages and the tools with a mark. */
  withMarks(body: Record<string, unknown>): Record<string, unknown> {
    const mark = `messages-${this.#count++}`
    const { messages, tools } = body
    this.#converted.set(mark, { messages: messages as readonly unknown[], tools })
    return { ...body, messages: mark, ...(tools !== undefined && { tools: mark }) }
  }

  #complete(body: string, items: Items, tools: readonly ToolSchema[]): Bytes[] {
    const mark = /"messages":"(messages-\d+)"/.exec(body)?.[1]
    const converted = mark === undefined ? undefined : this.#converted.get(mark)
    if (mark === undefined || !converted) throw new Error('The body of a chat request has no messages.')
    this.#converted.delete(mark)
    const fresh = converted.messages
    if (items.fresh.length !== fresh.length)
      throw new Error(`The package made ${fresh.length} messages of ${items.fresh.length}.`)
    // Each request has its own system prompt, so it is not stored with the messages.
    const [begin] = items.all
    const isSystem = begin !== undefined && items.fresh[0] === 0 && 'role' in begin && begin.role === 'system'
    const system = isSystem ? [Buffer.from(JSON.stringify(fresh[0]))] : []
    const messages = this.#run(items, fresh, isSystem ? 1 : 0)
    const list = [Buffer.from('['), ...system, ...(isSystem && messages.length > 0 ? [COMMA] : []), ...messages]
    const parts: Bytes[] = []
    let from = 0
    for (const { index, 0: found, 1: name = '', 2: of } of body.matchAll(MARKED)) {
      // Another value in the request can look like a mark.
      if (of !== mark) continue
      parts.push(Buffer.from(body.slice(from, index) + name))
      if (name.includes('tools')) parts.push(this.#toolsOf(tools, converted.tools))
      else parts.push(...list, Buffer.from(']'))
      from = index + found.length
    }
    return [...parts, Buffer.from(body.slice(from))]
  }

  /** The stored messages of the conversation, and the index of its first message in the prompt. */
  #runOf(prompt: LanguageModelV4Prompt): { run: MessageRun; from: number } | undefined {
    const from = prompt[0]?.role === 'system' ? 1 : 0
    const first = prompt[from]
    const item = first?.role === 'tool' ? first.content[0] : first
    const run = item && this.#runs.get(item)
    return run && { run, from }
  }

  /** A list of tools as JSON. */
  #toolsOf(tools: readonly ToolSchema[], converted: unknown): Bytes {
    const known = this.#tools.get(tools) ?? Buffer.from(JSON.stringify(converted))
    this.#tools.set(tools, known)
    return known
  }

  /** The messages from index `from` on as JSON, separated by commas. */
  #run({ all, fresh }: Items, converted: readonly unknown[], from: number): Bytes[] {
    const first = all[from]
    if (!first) return []
    const known = this.#runs.get(first)
    const run = known?.isBeginningOf(all, from) ? known : new MessageRun()
    this.#runs.set(first, run)
    const places = new Map(fresh.map((index, place) => [index, place]))
    for (let index = from + run.count; index < all.length; index += 1) {
      const item = all[index]!
      // Another request may have stored it in the meantime.
      const before = this.#written.get(item)
      run.add(item, before ? before.run.at(before.index) : Buffer.from(JSON.stringify(converted[places.get(index)!])))
      this.#written.set(item, { run, index: run.count - 1 })
    }
    return run.all
  }
}

interface Block {
  bytes: Bytes
  /** Index of the first message in it. */
  first: number
  /** How many of its bytes are used. */
  used: number
}

/**
 * Messages that followed each other in a request. Bytes are only appended: those that were returned never change. They
 * are stored in blocks, because a buffer that doubles is copied each time, and after a large one is freed, glibc
 * returns less memory to the system: 7 MB for a conversation of 2,000 steps.
 */
class MessageRun {
  readonly #items: Item[] = []
  /** Where each message ends in its block. All but the first message of the run start with a comma. */
  readonly #ends: number[] = []
  readonly #blocks: Block[] = []

  get count(): number {
    return this.#items.length
  }

  get all(): Bytes[] {
    return this.#blocks.map(({ bytes, used }) => bytes.subarray(0, used))
  }

  at(index: number): Bytes {
    const { bytes, first } = this.#blocks.findLast((block) => block.first <= index)!
    const begin = index === first ? 0 : this.#ends[index - 1]!
    return bytes.subarray(index === 0 ? begin : begin + COMMA.length, this.#ends[index])
  }

  holds(index: number, item: Item): boolean {
    return this.#items[index] === item
  }

  /** Whether the items from index `from` on start with these messages. */
  isBeginningOf(items: readonly Item[], from: number): boolean {
    return this.count <= items.length - from && this.#items.every((item, index) => item === items[from + index])
  }

  add(item: Item, message: Uint8Array): void {
    const comma = this.count === 0 ? 0 : COMMA.length
    const length = comma + message.length
    let block = this.#blocks.at(-1)
    if (!block || block.used + length > block.bytes.length) {
      block = { bytes: Buffer.allocUnsafeSlow(Math.max(length, BLOCK_BYTES)), first: this.count, used: 0 }
      this.#blocks.push(block)
    }
    if (comma > 0) block.bytes.set(COMMA, block.used)
    block.bytes.set(message, block.used + comma)
    block.used += length
    this.#items.push(item)
    this.#ends.push(block.used)
  }
}
