import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ToolSchema } from '../provider'
import type { ShortPrompt } from './protocol'

type Item = LanguageModelV4Message | Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number]
type Bytes = Uint8Array<ArrayBuffer>

interface Entry {
  item: Item
  /** It has not gone out before: the package converts it. */
  isFresh: boolean
}

const COMMA = Buffer.from(',')
const SMALLEST_RUN = 64 * 1024

/** What the package made of a request, taken out of its body. */
interface Converted {
  messages: readonly unknown[]
  tools: unknown
}

/**
 * Bodies of Chat Completions in which each message, and each list of tools, is written as JSON once, not again at every
 * step: the package converts each message independently, so an earlier conversion stays valid. It is given only the new
 * messages; the others go out from where they were written.
 */
export class ChatBodies {
  /** Where each message that went out is, for as long as the prompt's own object lives. */
  readonly #written = new WeakMap<Item, { run: MessageRun; index: number }>()
  /** By the first message of each conversation. */
  readonly #runs = new WeakMap<Item, MessageRun>()
  /** What the package made of a request, between its own two calls of us. */
  readonly #converted = new Map<string, Converted>()
  readonly #tools = new WeakMap<readonly ToolSchema[], Bytes>()
  #count = 0

  /** `tools`: those of the request; the same array stands for the same tools. */
  shorten(prompt: LanguageModelV4Prompt, tools: readonly ToolSchema[]): ShortPrompt {
    const short: LanguageModelV4Prompt = []
    const entries: Entry[] = []
    const isFresh = (item: Item): boolean => {
      const entry = { item, isFresh: !this.#written.has(item) }
      entries.push(entry)
      return entry.isFresh
    }
    for (const message of prompt) {
      if (message.role === 'tool') {
        // Each result becomes a message of its own.
        const fresh = message.content.filter(isFresh)
        if (fresh.length > 0) short.push({ ...message, content: fresh })
      } else if (isFresh(message)) short.push(message)
    }
    return { prompt: short, complete: (body) => this.#complete(body, entries, tools) }
  }

  /** For the package's `transformRequestBody`: leaves a mark where the messages and the tools were. */
  withMarks(body: Record<string, unknown>): Record<string, unknown> {
    const mark = `messages-${this.#count++}`
    const { messages, tools } = body
    this.#converted.set(mark, { messages: messages as readonly unknown[], tools })
    return { ...body, messages: mark, ...(tools !== undefined && { tools: mark }) }
  }

  #complete(body: string, entries: readonly Entry[], tools: readonly ToolSchema[]): Bytes[] {
    const mark = /"messages":"(messages-\d+)"/.exec(body)?.[1]
    const converted = mark === undefined ? undefined : this.#converted.get(mark)
    if (mark === undefined || !converted) throw new Error('The body of a chat request has no messages.')
    this.#converted.delete(mark)
    const fresh = converted.messages
    const wanted = entries.reduce((sum, entry) => sum + Number(entry.isFresh), 0)
    if (wanted !== fresh.length) throw new Error(`The package made ${fresh.length} messages of ${wanted}.`)
    // Each request has a system prompt of its own: it is not kept with the messages.
    const [begin] = entries
    const isSystem = begin !== undefined && begin.isFresh && 'role' in begin.item && begin.item.role === 'system'
    const system = isSystem ? [Buffer.from(JSON.stringify(fresh[0]))] : []
    const messages = this.#run(isSystem ? entries.slice(1) : entries, isSystem ? fresh.slice(1) : fresh)
    const list = [Buffer.from('['), ...system, ...(isSystem && messages.length > 0 ? [COMMA] : []), messages]
    const parts: Bytes[] = []
    let from = 0
    for (const { index, 0: found, groups } of body.matchAll(
      new RegExp(`(?<name>"(?:messages|tools)":)"${mark}"`, 'g'),
    )) {
      const name = groups!['name']!
      parts.push(Buffer.from(body.slice(from, index) + name))
      if (name.includes('tools')) parts.push(this.#toolsOf(tools, converted.tools))
      else parts.push(...list, Buffer.from(']'))
      from = index + found.length
    }
    return [...parts, Buffer.from(body.slice(from))]
  }

  /** A list of tools as JSON. */
  #toolsOf(tools: readonly ToolSchema[], converted: unknown): Bytes {
    const known = this.#tools.get(tools) ?? Buffer.from(JSON.stringify(converted))
    this.#tools.set(tools, known)
    return known
  }

  /** The messages as JSON, with commas between them. */
  #run(entries: readonly Entry[], fresh: readonly unknown[]): Bytes {
    const first = entries[0]?.item
    if (!first) return Buffer.alloc(0)
    const known = this.#runs.get(first)
    const run = known?.isBeginningOf(entries) ? known : new MessageRun()
    this.#runs.set(first, run)
    let used = 0
    for (const [index, { item, isFresh }] of entries.entries()) {
      const message = isFresh ? fresh[used++] : undefined
      // Another request may have written it meanwhile.
      if (index < run.count) continue
      const before = this.#written.get(item)
      run.add(item, before ? before.run.at(before.index) : Buffer.from(JSON.stringify(message)))
      this.#written.set(item, { run, index })
    }
    return run.all
  }
}

/** Messages that followed each other in a request. Bytes are only added: those that were given away never change. */
class MessageRun {
  readonly #items: Item[] = []
  readonly #ends: number[] = []
  #bytes = Buffer.allocUnsafeSlow(SMALLEST_RUN)

  get count(): number {
    return this.#items.length
  }

  get all(): Bytes {
    return this.#bytes.subarray(0, this.#ends.at(-1) ?? 0)
  }

  at(index: number): Bytes {
    return this.#bytes.subarray(index === 0 ? 0 : this.#ends[index - 1]! + COMMA.length, this.#ends[index])
  }

  isBeginningOf(entries: readonly Entry[]): boolean {
    return this.count <= entries.length && this.#items.every((item, index) => item === entries[index]!.item)
  }

  add(item: Item, message: Uint8Array): void {
    const end = this.#ends.at(-1)
    const begin = end === undefined ? 0 : end + COMMA.length
    const length = begin + message.length
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, this.#bytes.length * 2))
      larger.set(this.all)
      this.#bytes = larger
    }
    if (end !== undefined) this.#bytes.set(COMMA, end)
    this.#bytes.set(message, begin)
    this.#items.push(item)
    this.#ends.push(length)
  }
}
