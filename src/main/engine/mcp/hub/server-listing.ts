import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failureOf } from '../../../../shared/errors'
import { readPrompts, readResources, readTemplates, type Offer } from '../content/content-server'
import { readTools, type ListedTool } from '../tool/read-tools'
import type { Connection } from '../protocol/connection'
import type { Listed } from '../protocol/request-rounds'
import type { ServerLog } from '../protocol/server-log'
import { writePrivateFile } from '../../config/write-private-file'

export interface LiveListingDeps {
  key: string
  cache: ListingCache
  log: ServerLog
  /** Called when the listing has changed. */
  changed(): void
  /** Called when the server does not report what it offers. */
  failed(message: string): void
}

/** Minimum time between requests for the lists, no matter how often a server reports changes. */
const MIN_REFRESH_MS = 1_000
const TIMEOUT_MS = 30_000
const MAX_NOTES = 20
const NOTHING: Listed = { items: [] }

/** What one server offers: cached from an earlier connection, as listed now, and updated as it changes. */
export class LiveListing {
  readonly #deps: LiveListingDeps
  #listing: Listing | undefined
  #loading: Promise<void> | undefined
  #asking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  /** When the listing stops being fresh (as `performance.now`); undefined if the server does not specify it. */
  #freshUntil: number | undefined

  constructor(deps: LiveListingDeps) {
    this.#deps = deps
  }

  get listing(): Listing | undefined {
    return this.#listing
  }

  /** Reads the listing cached by an earlier connection, once. */
  load(): Promise<void> {
    return (this.#loading ??= this.#read())
  }

  /** Requests the listing through a new connection, and again whenever the server reports a change. */
  watch(connection: Connection): void {
    connection.onListsChanged(() => this.#askSoon(connection))
    this.#asking = this.#ask(connection)
  }

  /** Requests the listing again if it is no longer fresh. Call when the server is used. */
  refreshIfStale(connection: Connection): void {
    if (this.#freshUntil !== undefined && performance.now() > this.#freshUntil) this.#askSoon(connection)
  }

  /** Requests the listing again, and resolves when it has arrived or failed. */
  async refresh(connection: Connection): Promise<void> {
    this.#asking = (this.#asking ?? Promise.resolve()).then(() => this.#ask(connection))
    await this.#asking
  }

  /** Resolves when the last requested listing has arrived or failed. */
  async settled(): Promise<void> {
    await this.#asking
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #read(): Promise<void> {
    const kept = await this.#deps.cache.read(this.#deps.key)
    this.#listing ??= kept
  }

  #askSoon(connection: Connection): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      if (connection.isOpen) void this.refresh(connection)
    }, MIN_REFRESH_MS).unref()
  }

  async #ask(connection: Connection): Promise<void> {
    const { log, changed, failed, cache, key } = this.#deps
    const { capabilities, info, instructions } = connection
    const list = async (offers: unknown, method: string, what: string): Promise<Listed> =>
      offers ? connection.list(method, what, TIMEOUT_MS) : NOTHING
    const [tools, prompts, resources, templates] = await Promise.allSettled([
      list(capabilities.tools, 'tools/list', 'tools'),
      list(capabilities.prompts, 'prompts/list', 'prompts'),
      list(capabilities.resources, 'resources/list', 'resources'),
      list(capabilities.resources, 'resources/templates/list', 'resourceTemplates'),
    ])
    if (!connection.isOpen) return
    this.#freshUntil = freshUntil([tools, prompts, resources, templates])
    if (tools.status === 'rejected') return failed(`It did not list its tools: ${failureOf(tools.reason).message}`)
    const read = readTools(tools.value.items, connection.takesHeaders)
    const notes = [...(tools.value.problem === undefined ? [] : [tools.value.problem]), ...read.notes].slice(
      0,
      MAX_NOTES,
    )
    for (const text of notes) log.add({ from: 'connection', level: 'warning', text })
    const items = (result: typeof prompts): unknown[] => (result.status === 'fulfilled' ? result.value.items : [])
    const offer = {
      prompts: readPrompts(items(prompts)),
      resources: readResources(items(resources)),
      templates: readTemplates(items(templates)),
    }
    const hasMoreTools = tools.value.problem !== undefined
    const said = instructions === undefined ? {} : { instructions }
    const listing: Listing = {
      info,
      tools: read.tools,
      ...said,
      ...(hasMoreTools && { hasMoreTools: true as const }),
      offer,
      notes,
    }
    // The same objects as long as nothing has changed, so that requests to models also stay the same.
    if (JSON.stringify(listing) === JSON.stringify(this.#listing)) return
    const isSameTools = JSON.stringify(listing.tools) === JSON.stringify(this.#listing?.tools)
    this.#listing = isSameTools && this.#listing ? { ...listing, tools: this.#listing.tools } : listing
    changed()
    await cache.write(key, listing).catch((error: unknown) => {
      log.add({
        from: 'connection',
        level: 'warning',
        text: `What it offers could not be kept on disk: ${failureOf(error).message}`,
      })
    })
  }
}

/**
 * How long all lists are fresh: the shortest of their times. 0 does not count: such a server reports changes, or is
 * listed again at the next connection.
 */
function freshUntil(lists: readonly PromiseSettledResult<Listed>[]): number | undefined {
  const ttls = lists.flatMap((list) =>
    list.status === 'fulfilled' && (list.value.ttlMs ?? 0) > 0 ? [list.value.ttlMs!] : [],
  )
  return ttls.length > 0 ? performance.now() + Math.min(...ttls) : undefined
}

/** What a server offered when it was last listed. */
export interface Listing {
  info: { name: string; version: string; protocolVersion: string }
  tools: readonly ListedTool[]
  /** The server's instructions. */
  instructions?: string
  /** What it offers besides tools. */
  offer: Offer
  /** Not all of its tools were read. */
  hasMoreTools?: true
  /** What was left out, and why. */
  notes: readonly string[]
}

/** The version of the file format; files with another version are ignored. */
const FORMAT = 2
const MAX_BYTES = 8 * 1024 * 1024

/** Caches on disk what servers offer, by definition, so that a turn can offer their tools without starting anything. */
export interface ListingCache {
  read(key: string): Promise<Listing | undefined>
  write(key: string, listing: Listing): Promise<void>
}

export function createListingCache(home: string): ListingCache {
  const folder = join(home, 'cache', 'mcp')
  const file = (key: string): string => join(folder, `${key}.json`)
  return {
    async read(key) {
      try {
        const kept = JSON.parse(await readFile(file(key), 'utf8')) as { format?: unknown; listing?: Listing }
        return kept.format === FORMAT && Array.isArray(kept.listing?.tools) ? kept.listing : undefined
      } catch {
        // Missing or damaged: the server is queried again.
        return undefined
      }
    },
    async write(key, listing) {
      const text = JSON.stringify({ format: FORMAT, listing })
      if (text.length > MAX_BYTES) return
      await mkdir(folder, { recursive: true, mode: 0o700 })
      writePrivateFile(file(key), text)
    },
  }
}
