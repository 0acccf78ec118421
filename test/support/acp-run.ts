import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { ModelScript } from './model-script'
import { acpClient, type AcpAnswers, type AcpClient, type Wire } from './acp-client'
import { schemaProblems } from './acp-schema'
import { startModelServer, type ModelServer } from './model-server'
import { startCli } from './run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from './scratch'

export interface AcpRun {
  scratch: Scratch
  server: ModelServer
  client: AcpClient
  /** Another client, on the same home. */
  again(answers?: AcpAnswers): AcpClient
  /** Ends running processes and removes all files. Rejects if any message violates the protocol schema. */
  close(): Promise<void>
}

export interface AcpRunOptions {
  script: ModelScript
  /** The agent connects to an engine of the home, which is already running. */
  joins?: boolean
  files?: Record<string, string>
  answers?: AcpAnswers
  /** Additional lines of config.toml; `none`: no configuration at all. */
  config?: string
  env?: Record<string, string>
}

/** The built program as the agent of a client, with a scripted model. */
export async function acpRun({
  script,
  files = { 'notes.md': '# Notes\n\none\ntwo\n' },
  answers = {},
  config,
  env = {},
  joins = false,
}: AcpRunOptions): Promise<AcpRun> {
  const scratch = createScratch(files)
  const server = await startModelServer({ script })
  if (config !== 'none') writeConfig(scratch.home, `${configFor(server.baseUrl)}\n${config ?? ''}`)
  const clients: AcpClient[] = []
  const engine = joins ? await startEngine(scratch.home, env) : undefined
  const again = (own: AcpAnswers = answers): AcpClient => {
    const client = acpClient(startCli(['acp'], { home: scratch.home, env }), own)
    clients.push(client)
    return client
  }
  return {
    scratch,
    server,
    client: again(),
    again,
    async close() {
      for (const client of clients) await client.end()
      if (engine) await endEngine(engine)
      await server.close()
      scratch.remove()
      const problems = clients.flatMap(schemaProblems)
      if (problems.length > 0) throw new Error(`Not as the schema of the protocol says:\n${problems.join('\n')}`)
    },
  }
}

/** Starts the engine of a home; resolves once it serves clients. */
async function startEngine(home: string, env: Record<string, string>): Promise<ChildProcess> {
  const engine = startCli(['engine'], { home, env })
  engine.stdin.end()
  engine.stderr.resume()
  await once(engine.stdout, 'data')
  engine.stdout.resume()
  return engine
}

async function endEngine(engine: ChildProcess): Promise<void> {
  if (engine.exitCode !== null || engine.signalCode !== null) return
  const ended = once(engine, 'exit')
  engine.kill('SIGTERM')
  await ended
}

/** Answers a permission request with the first option of this kind. */
export function choosing(kind: string): (params: Record<string, Wire>) => unknown {
  return ({ options }) => {
    const option = options.find((one: { kind: string }) => one.kind === kind)
    return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } }
  }
}

/** Opens a session in the project, after `initialize` with these capabilities. */
export async function openSession(
  { client, scratch }: Pick<AcpRun, 'client' | 'scratch'>,
  clientCapabilities: object = {},
): Promise<string> {
  await client.request('initialize', { protocolVersion: 1, clientCapabilities })
  const { sessionId } = await client.request('session/new', { cwd: scratch.project, mcpServers: [] })
  return sessionId
}

export function say(client: AcpClient, sessionId: string, text: string): Promise<{ stopReason: string }> {
  return client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
}
