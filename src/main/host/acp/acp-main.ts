import { stopRinging } from '../../console/stop-ringing'
import { growSlowly } from '../../engine/runtime/v8-flags'
import {
  type ClientCapabilities,
  agent,
  methods,
  PROTOCOL_VERSION,
  type AgentApp,
  type AuthMethod,
} from '@agentclientprotocol/sdk'
import { agentOption, type Parsed } from '../../console/parse-command'
import { reserveStdout } from '../../console/output'
import { reportBackground, reportStart } from '../../console/report'
import { realpathSync } from 'node:fs'
import { failureOf } from '../../../shared/errors'
import { resolveHome } from '../../engine/config/home'
import { agentTrace } from '../../engine/runtime/agent-trace'
import { createEngine } from '../../engine/engine'
import { taskHostProgram } from '../../engine/task/client/task-host-program'
import { AcpSessions } from './session/acp-sessions'
import { PendingRequests } from './ask/pending-requests'
import { flushed, stdioStream, toRequestError } from './protocol/json-rpc'
import { chooseMode, chooseOption } from './session/session-options'
import { ownEngine, type ClientEngine } from '../../role/joined/client-engine'

/** Time in ms to send the last output to a client that has stopped reading. */
const WRITE_DRAIN_MS = 1_000

/** `trestle acp`: an agent for editors, over stdin and stdout, until stdin ends. Stdout carries only the protocol. */
export async function acpMain(parsed: Parsed, version: string): Promise<number> {
  const agent = agentOption(parsed, 'acp')
  const output = reserveStdout()
  growSlowly()
  // An agent selected on the command line exists only in this process.
  const joined = agent ? undefined : await runningEngine(version)
  const engine =
    joined ??
    ownEngine(
      await createEngine({
        version,
        interactive: true,
        hasInbox: false,
        canType: false,
        taskHost: taskHostProgram(),
        ...(agent && { agent }),
      }),
    )
  // In the engine of the home, turns continue without the editor.
  const stopsTurns = joined === undefined
  try {
    reportStart(engine)
    let capabilities: ClientCapabilities = {}
    const app = acpAgent({
      engine,
      version,
      sessions: () => sessions,
      onInitialized: (known) => (capabilities = known),
    })
    const stream = stdioStream({ input: process.stdin, output, onInputEnd: () => sessions.closeAll(stopsTurns) })
    const connection = app.connect(stream)
    const sessions = new AcpSessions({
      engine,
      client: connection.client,
      capabilities: () => capabilities,
      onOpened: () => asks.update(),
    })
    const asks = new PendingRequests({
      engine,
      client: connection.client,
      capabilities: () => capabilities,
      session: (sessionId) => sessions.get(sessionId),
      log,
    })
    engine.onChange((change) => {
      if (change.kind === 'inbox') asks.update()
      if (change.kind === 'mcp') sessions.sendCommands()
      if (change.kind === 'notification') {
        const { title, body, source } = change.notification
        sessions.notice('info', title, body === '' ? undefined : body)
        if (source === 'alarm') stopRinging(engine)
      }
      if (change.kind === 'notice') {
        log(change.text)
        sessions.notice(change.tone, change.text)
      }
    })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, endInput)
    await connection.closed
    await sessions.closeAll(stopsTurns)
    reportBackground(
      engine,
      (await engine.tasks.list({ activeOnly: true })).filter(({ background }) => background),
    )
    return 0
  } finally {
    await engine.close()
    await flushed(output, WRITE_DRAIN_MS)
  }
}

/** The engine of the home, if the editor's sessions can use it. */
async function runningEngine(version: string): Promise<ClientEngine | undefined> {
  const home = realpathSync(resolveHome())
  try {
    // Started by an agent's command: the shared engine would give that command more access than it has.
    if ((await agentTrace({ home, orphans: false })) !== undefined) return undefined
    const { joinAsClient } = await import('../../role/joined/joined-client')
    return await joinAsClient('agent', { home, version }, log)
  } catch (error) {
    log(`this agent runs in a process of its own: ${failureOf(error).message}`)
    return undefined
  }
}

function log(message: string): void {
  process.stderr.write(`trestle: ${message}\n`)
}

/** A signal ends this process as if the client had disconnected. */
function endInput(): void {
  process.stdin.destroy()
}

export interface AcpAgentDeps {
  engine: ClientEngine
  version: string
  /** The sessions of the connection; available once it is established. */
  sessions(): AcpSessions
  onInitialized(capabilities: ClientCapabilities): void
}

/**
 * For editors that can run their agent in a terminal: they run `trestle acp --setup` there and reconnect when it
 * succeeds.
 */
const SETUP: AuthMethod = {
  type: 'terminal',
  id: 'setup',
  name: 'Set up a model',
  description: 'Choose a provider and a model, and enter its API key, in a terminal.',
  args: ['--setup'],
}

/**
 * The handlers of the client's requests. Missing methods (such as `authenticate`: keys are stored in Trestle's
 * settings, and set up in a terminal) are answered with "method not found".
 */
function acpAgent({ engine, version, sessions, onInitialized }: AcpAgentDeps): AgentApp {
  const { session } = methods.agent
  return agent({ name: 'trestle' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      onInitialized(params.clientCapabilities ?? {})
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'trestle', title: 'Trestle', version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, audio: false, embeddedContext: true },
          mcpCapabilities: { http: true, sse: true },
          sessionCapabilities: { list: {}, delete: {}, additionalDirectories: {}, resume: {}, close: {} },
        },
        authMethods: params.clientCapabilities?.auth?.terminal ? [SETUP] : [],
      }
    })
    .onRequest(session.new, ({ params }) =>
      answering(async () => {
        const opened = await sessions().create(params)
        introduce(sessions(), opened.sessionId)
        return opened
      }),
    )
    .onRequest(session.load, ({ params }) =>
      answering(async () => {
        const { sessionId, ...options } = await sessions().open(params.sessionId, params, true)
        introduce(sessions(), sessionId)
        return options
      }),
    )
    .onRequest(session.resume, ({ params }) =>
      answering(async () => {
        const { sessionId, ...options } = await sessions().open(params.sessionId, params, false)
        introduce(sessions(), sessionId)
        return options
      }),
    )
    .onRequest(session.list, ({ params }) => answering(() => sessions().list(params)))
    .onRequest(session.close, ({ params }) =>
      answering(async () => {
        await sessions().close(params.sessionId)
        return {}
      }),
    )
    .onRequest(session.delete, ({ params }) =>
      answering(async () => {
        await sessions().remove(params.sessionId)
        return {}
      }),
    )
    .onRequest(session.setMode, ({ params }) =>
      answering(async () => {
        sessions().require(params.sessionId)
        await chooseMode(engine, params.sessionId, params.modeId)
        return {}
      }),
    )
    .onRequest(session.setConfigOption, ({ params }) =>
      answering(async () => {
        sessions().require(params.sessionId)
        await chooseOption(engine, params.sessionId, params.configId, params.value)
        return { configOptions: sessions().options(params.sessionId).configOptions }
      }),
    )
    .onRequest(session.prompt, ({ params, signal }) =>
      answering(() => sessions().require(params.sessionId).prompt(params.prompt, signal)),
    )
    .onNotification(session.cancel, ({ params }) => answering(async () => sessions().get(params.sessionId)?.cancel()))
}

/** Runs after the response was sent: before that the client does not know the session. */
function introduce(sessions: AcpSessions, sessionId: string): void {
  setImmediate(() => {
    // It may already be closed again.
    sessions.introduce(sessionId).catch(() => undefined)
  })
}

async function answering<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    throw toRequestError(error)
  }
}
