import { pathToFileURL } from 'node:url'
import type { MessageConnection } from 'vscode-jsonrpc/node'
import { readPlainText } from '../workspace/path/plain-file'
import { parseDiagnostics, type FileDiagnostic } from './file-diagnostic'

/** The protocol's numbers for changes of a file on disk. */
const CHANGE = { created: 1, changed: 2, deleted: 3 } as const
/** Maximum number of open files; the least recently used one is closed. */
const MAX_OPEN_FILES = 64
/** Larger files are generated or data, and are skipped. */
const MAX_FILE_BYTES = 1024 * 1024

/** A file as last sent to the server. */
export interface OpenFile {
  uri: string
  version: number
  text: string
}

/** Tells a server which files are open, with their text on disk. */
export class OpenFiles {
  readonly #files = new Map<string, OpenFile>()
  readonly #connection: MessageConnection
  readonly #languageIdOf: (path: string) => string

  constructor(connection: MessageConnection, languageIdOf: (path: string) => string) {
    this.#connection = connection
    this.#languageIdOf = languageIdOf
  }

  /** Opens the file, or sends its current text. Undefined when it is missing or too large. */
  sync(path: string): OpenFile | undefined {
    const text = textOf(path)
    const known = this.#files.get(path)
    if (text === undefined) {
      this.#close(path)
      return undefined
    }
    this.#files.delete(path)
    const uri = known?.uri ?? uriOf(path)
    const file = { uri, version: (known?.version ?? 0) + 1, text }
    this.#files.set(path, file)
    if (!known) {
      this.#send('textDocument/didOpen', {
        textDocument: { uri, languageId: this.#languageIdOf(path), version: file.version, text },
      })
      for (const oldest of [...this.#files.keys()].slice(0, -MAX_OPEN_FILES)) this.#close(oldest)
    } else {
      // Even if this file is unchanged: a new version makes the server check again, because dependencies may have
      // changed.
      this.#send('textDocument/didChange', { textDocument: { uri, version: file.version }, contentChanges: [{ text }] })
    }
    this.#send('textDocument/didSave', { textDocument: { uri } })
    return file
  }

  /** Notifies the server of changes on disk, in open files or not, and sends the current text of open ones. */
  changedOnDisk(changes: readonly { path: string; kind: keyof typeof CHANGE }[]): void {
    const events = changes.map(({ path, kind }) => ({
      uri: this.#files.get(path)?.uri ?? uriOf(path),
      type: CHANGE[kind],
    }))
    if (events.length > 0) this.#send('workspace/didChangeWatchedFiles', { changes: events })
    for (const { path, kind } of changes) {
      if (!this.#files.has(path)) continue
      if (kind === 'deleted') this.#close(path)
      else if (textOf(path) !== this.#files.get(path)?.text) this.sync(path)
    }
  }

  #close(path: string): void {
    const known = this.#files.get(path)
    if (!known) return
    this.#files.delete(path)
    this.#send('textDocument/didClose', { textDocument: { uri: known.uri } })
  }

  /** Errors are ignored: a closed connection is reported by its own event. */
  #send(method: string, params: object): void {
    const send = async (): Promise<void> => this.#connection.sendNotification(method, params)
    send().catch(() => undefined)
  }
}

export function uriOf(path: string): string {
  return pathToFileURL(path).href
}

function textOf(path: string): string | undefined {
  return readPlainText(path, MAX_FILE_BYTES)
}

/**
 * Debounce: a server may send partial results first and the rest right after, so the latest result must stay unchanged
 * for this long.
 */
const DEBOUNCE_MS = 150
/** If a server keeps sending, its latest result is used after this long. */
const MAX_DEBOUNCE_MS = 1_000

interface Waiting {
  version: number
  resolve(errors: FileDiagnostic[] | undefined): void
  timer?: NodeJS.Timeout
  /** The deadline: at this time, the latest result is used even if more keep arriving. */
  settledBy?: number
}

/** Waits for the diagnostics that a server publishes about its open files. */
export class PublishedDiagnostics {
  readonly #waiting = new Map<string, Waiting>()

  constructor(connection: MessageConnection) {
    connection.onNotification(
      'textDocument/publishDiagnostics',
      (params: { uri?: unknown; version?: unknown; diagnostics?: unknown }) => {
        const waiting = this.#waiting.get(canonical(String(params?.uri)))
        if (!waiting || (typeof params.version === 'number' && params.version < waiting.version)) return
        const errors = parseDiagnostics(params.diagnostics)
        clearTimeout(waiting.timer)
        const now = performance.now()
        waiting.settledBy ??= now + MAX_DEBOUNCE_MS
        waiting.timer = setTimeout(
          () => waiting.resolve(errors),
          Math.max(0, Math.min(DEBOUNCE_MS, waiting.settledBy - now)),
        )
        waiting.timer.unref()
      },
    )
  }

  /**
   * The server's report on this version of the file; undefined if a newer version is requested in the meantime or the
   * server ends.
   */
  of(uri: string, version: number): Promise<FileDiagnostic[] | undefined> {
    const key = canonical(uri)
    this.#drop(key)
    const { promise, resolve } = Promise.withResolvers<FileDiagnostic[] | undefined>()
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
