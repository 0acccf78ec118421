import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { EventBody, RecordedEvent } from '../../src/shared/events/event'
import { textOf } from '../../src/shared/model/turn/message'
import { isAlive } from './marked-pids'
import type { RecordedRequest, ScriptedCall, ScriptStep } from './model-script'
import { startModelServer, type ModelServer } from './model-server'
import { nodeProgram } from './node-program'
import { configFor, createScratch, writeConfig, type Scratch } from './scratch'
import { until } from './until'

const [COMMAND, ...SERVER] = nodeProgram('./mcp-stdio-server.ts')

/** The definition of a server that runs `mcp-stdio-server.ts` with these flags. */
export function stdioServer(
  flags: readonly string[] = [],
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return { command: COMMAND, args: [...SERVER, ...flags.map((flag) => `--${flag}`)], ...more }
}

/** An engine with MCP servers of the user, and a model that makes the scripted calls. */
export interface McpLab {
  engine: Engine
  scratch: Scratch
  model: ModelServer
  /** Requests that contained tools, in order. */
  requests(): RecordedRequest[]
  session(mode?: 'ask' | 'auto'): Promise<string>
  /** A turn in which the model makes these calls in parallel; returns their results, as text, in order. */
  calls(sessionId: string, calls: readonly ScriptedCall[]): Promise<string[]>
  begin(sessionId: string, calls: readonly ScriptedCall[]): Promise<void>
  ended(sessionId: string, turns: number): Promise<void>
  of<Type extends EventBody['type']>(sessionId: string, type: Type): Extract<RecordedEvent, { type: Type }>[]
  /** Process ids of all servers that were ever started, from the file of `starts`. */
  started(name: string): number[]
  startsFlag(name: string): string
  close(): Promise<void>
}

/** `servers` are written unchanged to mcp.json of the home. */
export async function mcpLab(
  servers: (lab: { starts(name: string): string }) => Record<string, Record<string, unknown>>,
  {
    config = '',
    files = {},
    isInteractive = true,
  }: { config?: string; files?: Record<string, string>; isInteractive?: boolean } = {},
): Promise<McpLab> {
  const scratch = createScratch(files)
  const startsFile = (name: string): string => join(scratch.home, '..', `starts-${name}`)
  const steps: ScriptStep[] = []
  const model = await startModelServer({ script: () => steps.shift() ?? { text: 'well' } })
  writeConfig(scratch.home, configFor(model.baseUrl, { more: config, loop: 'max_steps = 500' }))
  mkdirSync(scratch.home, { recursive: true })
  const mcpServers = servers({ starts: (name) => `starts=${startsFile(name)}` })
  writeFileSync(join(scratch.home, 'mcp.json'), JSON.stringify({ mcpServers }))
  const engine = await createEngine({ version: 'test', home: scratch.home, interactive: isInteractive, watch: false })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      await engine.close('stop')
      await model.close()
    })())
  onTestFinished(async () => {
    await close()
    scratch.remove()
  })
  const log = (sessionId: string): RecordedEvent[] => engine.sessions.since(sessionId, 0)
  const of: McpLab['of'] = (sessionId, type) =>
    log(sessionId).filter((event): event is Extract<RecordedEvent, { type: typeof type }> => event.type === type)
  const ended: McpLab['ended'] = (sessionId, turns) =>
    until(
      () => of(sessionId, 'turn.finished').length >= turns && engine.sessions.header(sessionId).turnId === undefined,
      `turn ${turns} to end`,
      60_000,
    )
  const begin: McpLab['begin'] = async (sessionId, calls) => {
    steps.push({ text: '', toolCalls: [...calls] })
    await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  }
  return {
    engine,
    scratch,
    model,
    requests: () => model.requests.filter(({ body }) => Array.isArray(body['tools'])),
    async session(mode = 'auto') {
      return (await engine.sessions.create({ folder: scratch.project, mode })).sessionId
    },
    begin,
    ended,
    async calls(sessionId, calls) {
      const [turns, before] = [of(sessionId, 'turn.finished').length, of(sessionId, 'tool.finished').length]
      await begin(sessionId, calls)
      await ended(sessionId, turns + 1)
      const results = new Map(
        of(sessionId, 'tool.finished')
          .slice(before)
          .map((event) => [event.callId, textOf(event.content)]),
      )
      const ids = of(sessionId, 'tool.started').slice(-calls.length)
      return ids.map(({ callId }) => results.get(callId) ?? '')
    },
    of,
    startsFlag: (name) => `starts=${startsFile(name)}`,
    started: (name) =>
      existsSync(startsFile(name))
        ? readFileSync(startsFile(name), 'utf8').trim().split('\n').filter(Boolean).map(Number)
        : [],
    close,
  }
}

/** Waits until all of these processes have exited. */
export async function gone(pids: readonly number[], limitMs = 5_000): Promise<void> {
  await until(() => pids.every((pid) => !isAlive(pid)), `${pids.join()} to be gone`, limitMs)
}
