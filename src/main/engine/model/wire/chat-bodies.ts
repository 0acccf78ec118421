import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ShortPrompt } from './wire'

type Item = LanguageModelV4Message | Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number]

/** `bytes`: undefined when it has not gone out before. */
interface Entry {
  item: Item
  bytes: Buffer | undefined
}

const COMMA = Buffer.from(',')

/**
 * Bodies of Chat Completions in which each message is converted and written as JSON once, not again at every step: the package converts every message by itself, so
 * what it made of one goes on being right. It is given only the messages it has not seen; the bytes of the others are put where they belong.
 */
export class ChatBodies {
  /** The bytes of each message that went out, for as long as the prompt's own object lives. */
  readonly #written = new WeakMap<Item, Buffer>()
  /** What the package made of a prompt, between its own two calls of us. */
  readonly #converted = new Map<string, readonly unknown[]>()
  #count = 0

  shorten(prompt: LanguageModelV4Prompt): ShortPrompt {
    const short: LanguageModelV4Prompt = []
    const entries: Entry[] = []
    const isFresh = (item: Item): boolean => {
      const bytes = this.#written.get(item)
      entries.push({ item, bytes })
      return bytes === undefined
    }
    for (const message of prompt) {
      if (message.role === 'tool') {
        // Each result becomes a message of its own.
        const fresh = message.content.filter(isFresh)
        if (fresh.length > 0) short.push({ ...message, content: fresh })
      } else if (isFresh(message)) short.push(message)
    }
    return { prompt: short, complete: (body) => this.#complete(body, entries) }
  }

  /** For the package's `transformRequestBody`: leaves a mark where the messages were. */
  withoutMessages(body: Record<string, unknown>): Record<string, unknown> {
    const mark = `messages-${this.#count++}`
    this.#converted.set(mark, body['messages'] as readonly unknown[])
    return { ...body, messages: mark }
  }

  #complete(body: string, entries: readonly Entry[]): Uint8Array<ArrayBuffer> {
    const found = /"messages":"(messages-\d+)"/.exec(body)
    const fresh = found && this.#converted.get(found[1]!)
    if (!fresh) throw new Error('The body of a chat request has no messages.')
    this.#converted.delete(found[1]!)
    const pieces: Buffer[] = [Buffer.from(`${body.slice(0, found.index)}"messages":[`)]
    let used = 0
    for (const { item, bytes = Buffer.from(JSON.stringify(fresh[used++])) } of entries) {
      this.#written.set(item, bytes)
      if (pieces.length > 1) pieces.push(COMMA)
      pieces.push(bytes)
    }
    if (used !== fresh.length) throw new Error(`The package made ${fresh.length} messages of ${used}.`)
    pieces.push(Buffer.from(`]${body.slice(found.index + found[0].length)}`))
    return Buffer.concat(pieces)
  }
}
