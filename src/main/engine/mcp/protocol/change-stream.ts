import type { Client, McpSubscription, ServerCapabilities, SubscriptionFilter } from '@modelcontextprotocol/client'
import { failureOf } from '../../../../shared/errors'
import type { McpLogLine } from '../../../../shared/configuration/customize/mcp'

const ACKNOWLEDGE_MS = 30_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000
/** A stream that lasted this long does not count as a failure. */
const STABLE_AFTER_MS = 30_000

export interface ChangeStreamDeps {
  client: Pick<Client, 'listen'>
  capabilities: ServerCapabilities
  /** Called when changes may have been missed. */
  onMissed(): void
  log(line: Omit<McpLogLine, 'at'>): void
}

/**
 * The stream on which a server of the stateless revision reports changes of its lists and of subscribed resources
 * (`subscriptions/listen`). A stream that ends is reopened with increasing delays; a server that refuses it is not
 * asked again until the next connection.
 */
export class ChangeStream {
  readonly #deps: ChangeStreamDeps
  readonly #watched = new Set<string>()
  #open: McpSubscription | undefined
  #work: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #waitMs = FIRST_WAIT_MS
  #isOver = false

  constructor(deps: ChangeStreamDeps) {
    this.#deps = deps
  }

  start(): void {
    if (Object.keys(this.#filter()).length > 0) void this.#reopen()
  }

  /** Resolves when the server has been informed. */
  watch(uri: string): Promise<void> {
    if (this.#isOver || this.#watched.has(uri)) return this.#work
    this.#watched.add(uri)
    return this.#reopen()
  }

  stop(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    void this.#open?.close().catch(() => undefined)
    this.#open = undefined
  }

  #filter(): SubscriptionFilter {
    const { tools, prompts, resources } = this.#deps.capabilities
    return {
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(prompts?.listChanged && { promptsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
      ...(this.#watched.size > 0 && { resourceSubscriptions: [...this.#watched] }),
    }
  }

  #reopen(): Promise<void> {
    this.#work = this.#work.then(() => this.#listen())
    return this.#work
  }

  async #listen(): Promise<void> {
    if (this.#isOver) return
    const old = this.#open
    try {
      const opened = await this.#deps.client.listen(this.#filter(), { timeout: ACKNOWLEDGE_MS })
      // `stop` may have been called in the meantime.
      if (this.#isEnded()) return await opened.close()
      this.#open = opened
      void this.#whenClosed(opened)
      // The old stream closes last, so that nothing is missed in between.
      await old?.close()
    } catch (error) {
      if (this.#isEnded()) return
      const isRefused = error instanceof Error && 'code' in error && typeof error.code === 'number'
      if (!isRefused) return this.#listenLater()
      this.#deps.log({
        from: 'connection',
        level: 'warning',
        text: `It does not report changes: ${failureOf(error).message}`,
      })
    }
  }

  async #whenClosed(opened: McpSubscription): Promise<void> {
    const since = performance.now()
    const how = await opened.closed
    if (how === 'local' || this.#open !== opened) return
    this.#open = undefined
    if (performance.now() - since > STABLE_AFTER_MS) this.#waitMs = FIRST_WAIT_MS
    this.#listenLater()
  }

  #isEnded(): boolean {
    return this.#isOver
  }

  async #listenAgain(): Promise<void> {
    await this.#reopen()
    if (this.#open) this.#deps.onMissed()
  }

  #listenLater(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#listenAgain(), this.#waitMs).unref()
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS)
  }
}
