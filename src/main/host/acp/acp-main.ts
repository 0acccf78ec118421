import type { ClientCapabilities } from '@agentclientprotocol/sdk'
import { setFlagsFromString } from 'node:v8'
import { agentOption } from '../../command-line/agent-option'
import type { Parsed } from '../../command-line/parse'
import { ownStdout } from '../../command-line/own-stdout'
import { reportBackground } from '../../command-line/report-background'
import { reportStart } from '../../command-line/report-start'
import { createEngine } from '../../engine/engine'
import { taskHostProgram } from '../../task-host-program'
import { acpAgent } from './acp-agent'
import { AcpSessions } from './session/acp-sessions'
import { Asks } from './ask/asks'
import { flushed, stdioStream } from './stdio-stream'

/** A client that does not read any more gets no more time. */
const LAST_WRITE_MS = 1_000

/** `trestle acp`: an agent for editors, over stdin and stdout, until stdin ends. Stdout carries the protocol alone. */
export async function acpMain(parsed: Parsed, version: string): Promise<number> {
  const agent = agentOption(parsed, 'acp')
  const output = ownStdout()
  // As in print mode: costs little CPU and saves memory.
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=20')
  const engine = await createEngine({ version, interactive: true, canType: false, taskHost: taskHostProgram(), ...(agent && { agent }) })
  try {
    reportStart(engine)
    let capabilities: ClientCapabilities = {}
    const app = acpAgent({
      engine,
      version,
      sessions: () => sessions,
      onInitialized: (known) => (capabilities = known),
    })
    const stream = stdioStream({ input: process.stdin, output, onInputEnd: () => sessions.closeAll() })
    const connection = app.connect(stream)
    const sessions = new AcpSessions({ engine, client: connection.client, capabilities: () => capabilities, onOpened: () => asks.look() })
    const asks = new Asks({
      engine,
      client: connection.client,
      capabilities: () => capabilities,
      session: (sessionId) => sessions.get(sessionId),
      log,
    })
    engine.onChange((change) => {
      if (change.kind === 'inbox') asks.look()
      if (change.kind === 'mcp') sessions.tellCommands()
      if (change.kind === 'notice') {
        log(change.text)
        sessions.notice(change.tone, change.text)
      }
    })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, endInput)
    await connection.closed
    await sessions.closeAll()
    reportBackground(
      engine,
      (await engine.tasks.list({ activeOnly: true })).filter(({ background }) => background),
    )
    return 0
  } finally {
    await engine.close()
    await flushed(output, LAST_WRITE_MS)
  }
}

function log(message: string): void {
  process.stderr.write(`trestle: ${message}\n`)
}

/** Whoever tells this process to end has it end as if the client had gone. */
function endInput(): void {
  process.stdin.destroy()
}
