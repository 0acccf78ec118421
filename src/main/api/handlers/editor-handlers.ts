import { errorText } from '../../../shared/error-text'
import type { EditorPush, EditorCall } from '../../../shared/model/app/editor-call'
import type { ApiDeps, Implementer } from '../implementer'
import type { McpServerDefinition } from '../../../shared/configuration/customize/mcp'
import type { Engine } from '../../engine/engine-api'
import { randomBytes } from 'node:crypto'
import { isAbsolute, relative, sep } from 'node:path'
import type { SessionClientCapabilities } from '../../engine/turn/session/client-capabilities'
import { FileProblem } from '../../engine/workspace/path/file-problem'

export function editorHandlers(os: Implementer, { engine }: ApiDeps) {
  const editors = new Set<RemoteEditor>()
  return {
    serve: os.editor.serve.handler(({ input: { sessionId, servers, ...offer }, signal }) => {
      // Throws for an unknown session.
      engine.sessions.header(sessionId)
      return serveEditor(engine, editors, { sessionId, servers: definitions(servers), offer, signal })
    }),
    reply: os.editor.reply.handler(async ({ input }) => {
      for (const editor of editors) if (editor.reply(input)) return
    }),
  }
}

interface Served {
  sessionId: string
  servers: Record<string, McpServerDefinition>
  offer: EditorOffer
  signal: AbortSignal | undefined
}

/** Provides the editor's capabilities, from the first event until the subscription ends. */
async function* serveEditor(
  engine: Pick<Engine, 'registerCapabilities' | 'mcp'>,
  editors: Set<RemoteEditor>,
  { sessionId, servers, offer, signal }: Served,
): AsyncGenerator<EditorPush, void, void> {
  const editor = new RemoteEditor(offer)
  const bringsServers = Object.keys(servers).length > 0
  editors.add(editor)
  const unregister = engine.registerCapabilities(sessionId, editor.capabilities)
  if (bringsServers) engine.mcp.useInSession(sessionId, servers)
  try {
    yield* editor.pushes(signal)
  } finally {
    unregister()
    if (bringsServers) engine.mcp.leave(sessionId)
    editors.delete(editor)
  }
}

/** Without the keys of absent values. */
function definitions(servers: Record<string, object>): Record<string, McpServerDefinition> {
  return JSON.parse(JSON.stringify(servers)) as Record<string, McpServerDefinition>
}

/** The capabilities that an editor in another process provides. */
interface EditorOffer {
  folders: readonly string[]
  reads: boolean
  writes: boolean
  terminals: boolean
}

interface EditorReply {
  requestId: string
  value?: unknown
  error?: string | undefined
}

interface PendingCall {
  resolve(value: unknown): void
  reject(error: Error): void
}

/**
 * An editor that is connected by a subscription: provides its capabilities to the engine, and yields the calls for it.
 */
class RemoteEditor {
  readonly capabilities: SessionClientCapabilities
  readonly #pending = new Map<string, PendingCall>()
  readonly #queue: EditorPush[] = [{ type: 'ready' }]
  #wake: () => void = () => {}
  #isGone = false

  constructor(offer: EditorOffer) {
    const { folders, reads, writes, terminals } = offer
    this.capabilities = {
      ...((reads || writes) && {
        files: {
          covers: (path: string) => folders.some((folder) => contains(folder, path)),
          ...(reads && { read: (path: string, signal?: AbortSignal) => this.#read(path, signal) }),
          ...(writes && { write: (path: string, text: string) => this.#write(path, text) }),
        },
      }),
      ...(terminals && { terminals: this.#terminals() }),
    }
  }

  /** The calls, until the signal aborts; pending calls then fail. */
  async *pushes(signal: AbortSignal | undefined): AsyncGenerator<EditorPush, void, void> {
    const stop = (): void => this.#wake()
    signal?.addEventListener('abort', stop, { once: true })
    try {
      while (!isAborted(signal)) {
        const next = this.#queue.shift()
        if (next) yield next
        else await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      signal?.removeEventListener('abort', stop)
      this.#isGone = true
      for (const { reject } of this.#pending.values()) reject(gone())
      this.#pending.clear()
    }
  }

  /** Returns whether this was a call of this editor. */
  reply({ requestId, value, error }: EditorReply): boolean {
    const call = this.#pending.get(requestId)
    if (!call) return false
    this.#pending.delete(requestId)
    if (error === undefined) call.resolve(value)
    else call.reject(new Error(error))
    return true
  }

  #ask(call: EditorCall): Promise<unknown> {
    if (this.#isGone) return Promise.reject(gone())
    const requestId = randomBytes(12).toString('hex')
    return new Promise((resolve, reject) => {
      this.#pending.set(requestId, { resolve, reject })
      this.#queue.push({ type: 'call', requestId, call })
      this.#wake()
    })
  }

  /** Never rejects: what the editor cannot provide is read from disk. */
  async #read(path: string, signal?: AbortSignal): Promise<string | undefined> {
    const answer = this.#ask({ kind: 'read', path }).catch(() => undefined)
    const stopped = new Promise<undefined>((resolve) =>
      signal?.addEventListener('abort', () => resolve(undefined), { once: true }),
    )
    const text = await Promise.race([answer, stopped])
    return typeof text === 'string' ? text : undefined
  }

  async #write(path: string, text: string): Promise<void> {
    try {
      await this.#ask({ kind: 'write', path, text })
    } catch (error) {
      throw new FileProblem(errorText(error), 'other', error)
    }
  }

  #terminals(): NonNullable<SessionClientCapabilities['terminals']> {
    return {
      client: this,
      create: async ({ command, args, cwd, env, maxBytes, callId }) => {
        const opened = await this.#ask({
          kind: 'open-terminal',
          command,
          args: [...args],
          cwd,
          env: { ...env },
          maxBytes,
          ...(callId !== undefined && { callId }),
        })
        const terminalId = textIn(opened, 'terminalId') ?? ''
        return {
          ended: async () => {
            const end = await this.#ask({ kind: 'terminal-ended', terminalId })
            const [exitCode, signal] = [numberIn(end, 'exitCode'), textIn(end, 'signal')]
            return { ...(exitCode !== undefined && { exitCode }), ...(signal !== undefined && { signal }) }
          },
          output: async () => {
            const output = await this.#ask({ kind: 'terminal-output', terminalId })
            return { text: textIn(output, 'text') ?? '', truncated: fieldOf(output, 'truncated') === true }
          },
          kill: async () => void (await this.#ask({ kind: 'kill-terminal', terminalId })),
          release: async () => void (await this.#ask({ kind: 'release-terminal', terminalId })),
        }
      },
    }
  }
}

function gone(): Error {
  return new Error('The editor has disconnected.')
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

function textIn(value: unknown, name: string): string | undefined {
  const field = fieldOf(value, name)
  return typeof field === 'string' ? field : undefined
}

function numberIn(value: unknown, name: string): number | undefined {
  const field = fieldOf(value, name)
  return typeof field === 'number' ? field : undefined
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}
