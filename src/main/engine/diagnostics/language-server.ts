import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Transform, type TransformCallback } from 'node:stream'
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node'
import { startServerProcess, type ServerCommand, type ServerProcess } from '../mcp/protocol/server-process'
import { parseDiagnostics, type FileDiagnostic } from './file-diagnostic'
import { OpenFiles, uriOf, type OpenFile, PublishedDiagnostics } from './document-sync'

/**
 * How a server reports on a file: by the protocol's request, by TypeScript's own request, or by publishing without a
 * request.
 */
type Asking = 'pull' | 'tsserver' | 'push'

const INITIALIZE_MS = 30_000
const CLOSING_MS = 500
const TSSERVER_COMMAND = 'typescript.tsserverRequest'
const SILENT = { error: () => {}, warn: () => {}, info: () => {}, log: () => {} }
/** Options for servers that support settings of this kind; others ignore them. */
const OPTIONS = {
  maxTsServerMemory: 2048,
  disableAutomaticTypingAcquisition: true,
  tsserver: { useSyntaxServer: 'never' },
  diagnosticsDelay: '100ms',
}
const CAPABILITIES = {
  workspace: { configuration: true, workspaceFolders: true },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { versionSupport: true },
    diagnostic: { dynamicRegistration: false },
  },
}

export interface LanguageServerStart extends ServerCommand {
  /** The project. */
  root: string
  languageIdOf(path: string): string
  /** Ends it, also during startup. */
  signal: AbortSignal
}

/** A running language server for one project. */
export class LanguageServer {
  readonly #process: ServerProcess
  readonly #connection: MessageConnection
  readonly #files: OpenFiles
  readonly #pushed: PublishedDiagnostics
  #asking: Asking = 'push'
  /** Resolves when it has ended, for any reason. */
  readonly ended: Promise<void>

  private constructor(process: ServerProcess, { root, languageIdOf }: LanguageServerStart) {
    this.#process = process
    const { stdout, stdin, stderr } = process.child
    const messages = stdout!.pipe(new MessageSizeLimit())
    this.#connection = createMessageConnection(
      new StreamMessageReader(messages),
      new StreamMessageWriter(stdin!),
      SILENT,
    )
    this.#files = new OpenFiles(this.#connection, languageIdOf)
    this.#pushed = new PublishedDiagnostics(this.#connection)
    stderr!.resume()
    answerRequests(this.#connection, root)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    void process.exited.then(resolve)
    messages.once('error', () => resolve())
    this.#connection.onClose(() => resolve())
    this.#connection.onError(() => {})
    this.#connection.listen()
    void this.ended.then(() => this.stop())
  }

  /** Starts a server and waits until it is ready. On failure it throws after the process has ended. */
  static async start(start: LanguageServerStart): Promise<LanguageServer> {
    start.signal.throwIfAborted()
    const server = new LanguageServer(await startServerProcess(start), start)
    const stop = (): void => void server.stop()
    if (start.signal.aborted) stop()
    else start.signal.addEventListener('abort', stop, { once: true })
    void server.ended.then(() => start.signal.removeEventListener('abort', stop))
    try {
      await server.#initialize(start.root)
      return server
    } catch (error) {
      await server.stop()
      throw error
    }
  }

  get pid(): number {
    return this.#process.pid
  }

  /** How the process ended, if it was not stopped. */
  get ending(): string | undefined {
    return this.#process.ending()
  }

  /** Opens the file, so that the server loads its dependencies. */
  open(path: string): void {
    this.#files.sync(path)
  }

  /** Notifies the server of changes on disk. */
  changedOnDisk(...changes: Parameters<OpenFiles['changedOnDisk']>): void {
    this.#files.changedOnDisk(...changes)
  }

  /**
   * The errors in the current file on disk; undefined if the server does not report any result. Takes as long as the
   * server does.
   */
  async errorsOf(path: string): Promise<FileDiagnostic[] | undefined> {
    const file = this.#files.sync(path)
    if (!file) return undefined
    try {
      const found = this.#ask(path, file)
      return await Promise.race([found, this.ended.then(() => undefined)])
    } catch {
      // The server could not answer this request; the next one may work.
      return undefined
    }
  }

  #stopping: Promise<void> | undefined
  /** Ends it and everything it started. */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop())
  }

  async #stop(): Promise<void> {
    if (this.#process.ending() === undefined) {
      const ask = async (): Promise<void> => {
        await this.#connection.sendRequest('shutdown')
        await this.#connection.sendNotification('exit')
      }
      await within(ask(), CLOSING_MS).catch(() => undefined)
    }
    this.#pushed.close()
    this.#connection.dispose()
    await this.#process.stop()
  }

  async #initialize(root: string): Promise<void> {
    const rootUri = uriOf(root)
    const params = {
      // In a sandbox, the server cannot see our process and would assume that it has ended.
      processId: null,
      clientInfo: { name: 'Trestle' },
      rootPath: root,
      rootUri,
      workspaceFolders: [{ uri: rootUri, name: basename(root) }],
      capabilities: CAPABILITIES,
      initializationOptions: OPTIONS,
    }
    const answer = await within(
      Promise.race([
        this.#connection.sendRequest('initialize', params),
        this.ended.then(() => Promise.reject(new Error(this.#process.ending() ?? 'it ended'))),
      ]),
      INITIALIZE_MS,
    )
    const { capabilities } = (answer ?? {}) as {
      capabilities?: { diagnosticProvider?: unknown; executeCommandProvider?: { commands?: unknown } }
    }
    const commands = capabilities?.executeCommandProvider?.commands
    if (capabilities?.diagnosticProvider) this.#asking = 'pull'
    else if (Array.isArray(commands) && commands.includes(TSSERVER_COMMAND)) this.#asking = 'tsserver'
    await this.#connection.sendNotification('initialized', {})
  }

  async #ask(path: string, { uri, version }: OpenFile): Promise<FileDiagnostic[] | undefined> {
    if (this.#asking === 'push') return this.#pushed.of(uri, version)
    if (this.#asking === 'pull') {
      const answer = await this.#connection.sendRequest('textDocument/diagnostic', { textDocument: { uri } })
      return parseDiagnostics((answer as { items?: unknown } | null)?.items)
    }
    const of = async (command: string): Promise<FileDiagnostic[]> => {
      const args = [command, { file: path }, {}]
      const answer = await this.#connection.sendRequest('workspace/executeCommand', {
        command: TSSERVER_COMMAND,
        arguments: args,
      })
      return parseDiagnostics(fromTsserver((answer as { body?: unknown } | null)?.body))
    }
    const [syntax, semantic] = await Promise.all([of('syntacticDiagnosticsSync'), of('semanticDiagnosticsSync')])
    return [...syntax, ...semantic].toSorted((a, b) => a.line - b.line || a.column - b.column)
  }
}

/** Converts TypeScript's own diagnostics, whose positions count from 1, to the protocol's form. */
function fromTsserver(body: unknown): unknown[] {
  if (!Array.isArray(body)) return []
  return (
    body as { start?: { line?: number; offset?: number }; text?: string; code?: number; category?: string }[]
  ).map((one) => ({
    range: { start: { line: (one.start?.line ?? 1) - 1, character: (one.start?.offset ?? 1) - 1 } },
    severity: one.category === 'error' ? 1 : 2,
    code: one.code,
    source: 'ts',
    message: one.text,
  }))
}

/** Answers the requests that servers send to an editor. */
function answerRequests(connection: MessageConnection, root: string): void {
  const python = [join(root, '.venv', 'bin', 'python'), join(root, '.venv', 'Scripts', 'python.exe')].find((path) =>
    existsSync(path),
  )
  connection.onRequest('workspace/configuration', (params: { items?: { section?: string }[] }) =>
    (params.items ?? []).map(({ section }) => {
      if (section === 'python' && python !== undefined) return { pythonPath: python }
      return section === 'python.analysis' ? { diagnosticMode: 'openFilesOnly' } : {}
    }),
  )
  connection.onRequest('workspace/workspaceFolders', () => [{ uri: uriOf(root), name: basename(root) }])
  connection.onRequest('workspace/applyEdit', () => ({ applied: false }))
  for (const method of ['client/registerCapability', 'client/unregisterCapability', 'window/workDoneProgress/create'])
    connection.onRequest(method, () => null)
}

function within<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  return new Promise<Result>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it did not answer within ${ms / 1000} s`)), ms)
    timer.unref()
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

const HEADER_END = Buffer.from('\r\n\r\n')
const HEADER_LINE = /^[\w-]+: *[^\n]*$/
/** Longer headers are invalid. */
const MAX_HEADER_BYTES = 4 * 1024
/** The largest accepted message. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

/**
 * Passes on a stream of messages (`Content-Length: …`, as in the Language Server Protocol), and fails at one that is
 * too large: the next reader would buffer any length in memory, and the sending program may come from a project.
 */
class MessageSizeLimit extends Transform {
  #header = Buffer.alloc(0)
  /** Remaining bytes of the body. */
  #left = 0

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.#follow(chunk)
      done(null, chunk)
    } catch (error) {
      done(error as Error)
    }
  }

  #follow(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0) {
      const body = Math.min(this.#left, rest.length)
      this.#left -= body
      rest = rest.subarray(body)
      if (rest.length === 0) return
      this.#header = Buffer.concat([this.#header, rest])
      const end = this.#header.indexOf(HEADER_END)
      if (end < 0 ? this.#header.length > MAX_HEADER_BYTES : end > MAX_HEADER_BYTES)
        throw new Error('The language server sent something that is not a message.')
      if (end < 0) return
      const header = this.#header.toString('latin1', 0, end)
      // The next reader would wait forever for a message that starts with other text.
      if (!header.split('\r\n').every((line) => HEADER_LINE.test(line)))
        throw new Error('The language server sent something that is not a message.')
      const length = Number(/content-length: *(\d+)/i.exec(header)?.[1])
      if (!(length <= MAX_MESSAGE_BYTES))
        throw new Error(`The language server sent a message of ${length} bytes, which is too large.`)
      rest = this.#header.subarray(end + HEADER_END.length)
      this.#header = Buffer.alloc(0)
      this.#left = length
    }
  }
}
