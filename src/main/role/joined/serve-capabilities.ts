import { randomBytes } from 'node:crypto'
import { errorText } from '../../../shared/error-text'
import type { TrestleClient } from '../../../shared/contract'
import type { EditorCall } from '../../../shared/model/app/editor-call'
import type { McpServerDefinition } from '../../../shared/configuration/customize/mcp'
import type { SessionHeader } from '../../../shared/model/session/session'
import { failureOf } from '../../../shared/errors'
import type { ClientTerminal } from '../../engine/task/run/client-terminals'
import type { SessionClientCapabilities } from '../../engine/turn/session/client-capabilities'

/** What a client provides to a session of an engine in another process. */
interface Served extends SessionClientCapabilities {
  /** Real paths of its open folders. */
  folders: readonly string[]
  servers: Readonly<Record<string, McpServerDefinition>>
}

interface Service {
  /** Resolves once the engine has the capabilities, or when there is nothing to provide. */
  ready: Promise<void>
  stop(): void
}

/** Provides this client's capabilities to its sessions, in addition to the engine's own. */
export class CapabilityServer {
  readonly #client: TrestleClient
  readonly #header: (sessionId: string) => Pick<SessionHeader, 'folder' | 'addedFolders'>
  readonly #servers = new Map<string, Served['servers']>()
  readonly #services = new Map<string, Service>()

  constructor(client: TrestleClient, header: (sessionId: string) => Pick<SessionHeader, 'folder' | 'addedFolders'>) {
    this.#client = client
    this.#header = header
  }

  /** Sets the MCP servers to send with the next capabilities for the session. */
  useServers(sessionId: string, servers: Served['servers']): void {
    this.#servers.set(sessionId, servers)
  }

  /** Returns a function that withdraws them. */
  register(sessionId: string, capabilities: SessionClientCapabilities): () => void {
    const { folder, addedFolders } = this.#header(sessionId)
    const servers = this.#servers.get(sessionId) ?? {}
    const service = serveCapabilities(this.#client, sessionId, {
      ...capabilities,
      folders: [folder, ...addedFolders],
      servers,
    })
    this.#services.set(sessionId, service)
    return () => {
      service.stop()
      if (this.#services.get(sessionId) === service) this.#services.delete(sessionId)
    }
  }

  /** Resolves once the engine has the capabilities for the session. */
  async ready(sessionId: string): Promise<void> {
    await this.#services.get(sessionId)?.ready
  }
}

/** Provides them until stopped, again after each lost connection. */
function serveCapabilities(client: TrestleClient, sessionId: string, served: Served): Service {
  const { files, terminals, servers } = served
  if (!files && !terminals && Object.keys(servers).length === 0) return { ready: Promise.resolve(), stop() {} }
  const stopped = new AbortController()
  const ready = Promise.withResolvers<void>()
  // The caller that waits for it gets the error.
  ready.promise.catch(() => undefined)
  void serve(client, sessionId, served, { signal: stopped.signal, ready: ready.resolve }).catch(ready.reject)
  return { ready: ready.promise, stop: () => stopped.abort() }
}

async function serve(
  client: TrestleClient,
  sessionId: string,
  { folders, files, terminals, servers }: Served,
  { signal, ready }: { signal: AbortSignal; ready(): void },
): Promise<void> {
  const offer = {
    sessionId,
    folders: [...folders],
    reads: files?.read !== undefined,
    writes: files?.write !== undefined,
    terminals: terminals !== undefined,
    servers: JSON.parse(JSON.stringify(servers)) as Record<string, never>,
  }
  while (!signal.aborted) {
    const answers = new Answers({ ...(files && { files }), ...(terminals && { terminals }) })
    try {
      for await (const push of await client.editor.serve(offer, { signal })) {
        if (push.type === 'ready') ready()
        else void answers.to(client, push.requestId, push.call)
      }
      return
    } catch (error) {
      if (signal.aborted) return
      if (failureOf(error).code !== 'connection.lost') throw error
    } finally {
      answers.end()
    }
  }
}

/** Answers the calls of one engine. */
class Answers {
  readonly #capabilities: SessionClientCapabilities
  readonly #open = new Map<string, ClientTerminal>()

  constructor(capabilities: SessionClientCapabilities) {
    this.#capabilities = capabilities
  }

  async to(client: TrestleClient, requestId: string, call: EditorCall): Promise<void> {
    const answer = await this.#answer(call).then(
      (value) => ({ requestId, ...(value !== undefined && { value }) }),
      (error: unknown) => ({ requestId, error: errorText(error) }),
    )
    // An engine that has exited does not wait for it.
    await client.editor.reply(answer).catch(() => undefined)
  }

  /** Stops running calls, once the engine that made them has exited. */
  end(): void {
    for (const terminal of this.#open.values())
      void terminal
        .kill()
        .then(() => terminal.release())
        .catch(() => undefined)
    this.#open.clear()
  }

  async #answer(call: EditorCall): Promise<unknown> {
    const { files, terminals } = this.#capabilities
    switch (call.kind) {
      case 'read':
        return files?.read?.(call.path)
      case 'write':
        return files?.write?.(call.path, call.text)
      case 'open-terminal': {
        if (!terminals) throw new Error('This client has no terminals.')
        const { kind: _, ...command } = call
        const terminalId = randomBytes(12).toString('hex')
        this.#open.set(terminalId, await terminals.create(command))
        return { terminalId }
      }
      case 'terminal-ended':
        return this.#terminal(call).ended()
      case 'terminal-output':
        return this.#terminal(call).output()
      case 'kill-terminal':
        return this.#terminal(call).kill()
      default: {
        const terminal = this.#terminal(call)
        this.#open.delete(call.terminalId)
        return terminal.release()
      }
    }
  }

  #terminal({ terminalId }: { terminalId: string }): ClientTerminal {
    const terminal = this.#open.get(terminalId)
    if (!terminal) throw new Error('This terminal is closed.')
    return terminal
  }
}
