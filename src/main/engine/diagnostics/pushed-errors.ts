import type { MessageConnection } from 'vscode-jsonrpc/node'
import { errorsIn, type FoundError } from './diagnostic'

/** A server may first send what it knows at once, and the rest right after: so long the newest has to stand. */
const SETTLE_MS = 150
/** One that never stops sending is taken at its word after so long. */
const MOST_SETTLE_MS = 1_000

interface Waiting {
  version: number
  resolve(errors: FoundError[] | undefined): void
  timer?: NodeJS.Timeout
  /** When what came last is taken. */
  settledBy?: number
}

/** Waits for what a server tells by itself about the files it has open. */
export class PushedErrors {
  readonly #waiting = new Map<string, Waiting>()

  constructor(connection: MessageConnection) {
    connection.onNotification('textDocument/publishDiagnostics', (params: { uri?: unknown; version?: unknown; diagnostics?: unknown }) => {
      const waiting = this.#waiting.get(canonical(String(params?.uri)))
      if (!waiting || (typeof params.version === 'number' && params.version < waiting.version)) return
      const errors = errorsIn(params.diagnostics)
      clearTimeout(waiting.timer)
      const now = performance.now()
      waiting.settledBy ??= now + MOST_SETTLE_MS
      waiting.timer = setTimeout(() => waiting.resolve(errors), Math.max(0, Math.min(SETTLE_MS, waiting.settledBy - now)))
      waiting.timer.unref()
    })
  }

  /** What the server says of this version of the file; undefined when a newer one is waited for meanwhile, or the server ends. */
  of(uri: string, version: number): Promise<FoundError[] | undefined> {
    const key = canonical(uri)
    this.#drop(key)
    const { promise, resolve } = Promise.withResolvers<FoundError[] | undefined>()
    this.#waiting.set(key, { version, resolve })
    return promise
  }

  close(): void {
    for (const key of this.#waiting.keys()) this.#drop(key)
  }

  #drop(key: string): void {
    const waiting = this.#waiting.get(key)
    this.#waiting.delete(key)
    clearTimeout(waiting?.timer)
    waiting?.resolve(undefined)
  }
}

/** Servers do not agree on which characters of a path are escaped. */
function canonical(uri: string): string {
  try {
    return decodeURIComponent(uri)
  } catch {
    return uri
  }
}
