import { MAX_WIRE_LINE_BYTES, WIRE_PROTOCOL } from '../../../shared/contract/stdio-wire'
import type { HostActions, LogBug } from '../../api/implementer'
import { createRouter } from '../../api/server/router'
import { agentOption, type Parsed } from '../../console/parse-command'
import { reserveStdout, oneLine } from '../../console/output'
import { reportBackground, reportStart } from '../../console/report'
import { createEngine } from '../../engine/engine'
import { taskHostProgram } from '../../engine/task/client/task-host-program'
import { createLineWriter, readLines } from '../../wire/json-lines'
import { wireMethods, createWireServer } from '../../wire/serve-wire'

/**
 * Time in ms for pending requests to finish after stdin ends. Longer ones are stopped with the engine and answered
 * then.
 */
const END_GRACE_MS = 1000

const HOST: HostActions = { kind: 'wire', chooseFolder: async () => null, openExternal: async () => false }

/** `trestle wire`: the contract as lines of JSON over stdio (docs/wire.md), until stdin ends. */
export async function wireMain(parsed: Parsed, version: string): Promise<number> {
  const agent = agentOption(parsed, 'wire')
  const out = reserveStdout()
  const { stdin } = process
  const hangUp = (): void => void stdin.destroy()
  out.on('error', hangUp).on('close', hangUp)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, hangUp)
  const engine = await createEngine({
    version,
    interactive: true,
    taskHost: taskHostProgram(),
    ...(agent && { agent }),
  })
  reportStart(engine)
  engine.onChange((change) => {
    if (change.kind === 'notice' && change.about === 'mcp') process.stderr.write(`trestle: ${oneLine(change.text)}\n`)
  })
  const writer = createLineWriter(out)
  const server = createWireServer(wireMethods(createRouter({ engine, host: HOST, logBug })), writer)
  try {
    await writer.write({ hello: { protocol: WIRE_PROTOCOL, version, mostLineBytes: MAX_WIRE_LINE_BYTES } })
    for await (const line of readLines(stdin, MAX_WIRE_LINE_BYTES)) await server.receive(line)
  } catch (error) {
    // Only reading stdin throws here, and it has ended either way.
    if (!stdin.destroyed) logBug('stdin could not be read', error)
  }
  server.endSubscriptions()
  await withTimeout(server.answered())
  reportBackground(
    engine,
    (await engine.tasks.list({ activeOnly: true })).filter(({ background }) => background),
  )
  await engine.close()
  await withTimeout(server.answered())
  await withTimeout(writer.flushed())
  out.destroy()
  // A hanging request (a provider that does not answer) must not keep the program alive without its client.
  setTimeout(() => process.exit(0), END_GRACE_MS).unref()
  return 0
}

/** Waits with a timeout. */
async function withTimeout(done: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([done, new Promise<void>((resolve) => (timer = setTimeout(resolve, END_GRACE_MS)))])
  clearTimeout(timer)
}

const logBug: LogBug = (message, error) =>
  void process.stderr.write(
    `trestle: ${message}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
