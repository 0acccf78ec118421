import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStore } from '../../src/main/engine/store/open/open-store'
import { connect } from '../../src/renderer/client/connect'
import { webSocketTransport } from '../../src/renderer/client/transports'
import { isRecorded, type RecordedEvent } from '../../src/shared/events/event'
import type { SessionPush } from '../../src/shared/events/push'
import { acpClient } from '../support/acp-client'
import type { ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { nodeSockets } from '../support/node-socket'
import { required } from '../support/required'
import { startCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { hasSmallDisks, smallDisk, type SmallDisk } from '../support/small-disk'
import { until } from '../support/until'

/** Sizes that fill up some steps into the first turn. */
const SIZES = [1_000_000, 1_500_000]
const MAX_MS = 90_000

let scratch: Scratch
let server: ModelServer
let hasRoom: boolean
let disk: SmallDisk
const running: ChildProcessWithoutNullStreams[] = []

beforeEach(async () => {
  scratch = createScratch({ 'notes.md': 'a line of some length\n'.repeat(500) })
  hasRoom = false
  let step = 0
  const more = (): ScriptStep => ({
    text: `${'word '.repeat(1500)}${(step += 1)}`,
    toolCalls: [{ name: 'Read', input: { path: 'notes.md', n_lines: 100 + step } }],
  })
  server = await startModelServer({ script: () => (hasRoom ? { text: 'there is room again' } : more()) })
  writeConfig(scratch.home, configFor(server.baseUrl))
})
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const gone = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGKILL')
    await gone
  }
  await server.close()
  scratch.remove()
})

/** The program on a separate disk. */
function start(args: string[], size: number): ChildProcessWithoutNullStreams {
  disk = smallDisk({ size, folder: scratch.home, seed: join(scratch.home, 'config.toml') })
  const child = startCli(args, { home: disk.home, within: disk.within, cwd: scratch.project })
  running.push(child)
  return child
}

function outputOf(child: ChildProcessWithoutNullStreams): () => string {
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += String(chunk)))
  return () => text
}

/** The program itself, below the process that creates its disk. */
function programBelow(pid: number): number | undefined {
  const below = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  for (const each of below) {
    if (readFileSync(`/proc/${each}/cmdline`, 'utf8').includes('cli.js\0serve')) return each
    const found = programBelow(each)
    if (found !== undefined) return found
  }
  return undefined
}

async function makeRoom(): Promise<void> {
  await disk.makeRoom()
  hasRoom = true
}

/** The two turns of the only session, from the store that was copied off the disk. */
function keptEvents(): RecordedEvent[] {
  const { store } = openStore({ home: disk.kept })
  try {
    const [session] = store.list()
    return store.since(session!.sessionId, 0)
  } finally {
    store.close()
  }
}

function expectBothTurns(events: readonly RecordedEvent[]): void {
  expect(events.filter(({ type }) => type === 'turn.finished')).toMatchObject([
    { stop: 'error', failure: { code: 'store.full' } },
    { stop: 'end_turn' },
  ])
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  const started = events.flatMap((event) => (event.type === 'tool.started' ? [event.callId] : []))
  expect(events.flatMap((event) => (event.type === 'tool.finished' ? [event.callId] : []))).toEqual(started)
}

describe.skipIf(!hasSmallDisks).each(SIZES)('on a disk of %i bytes that fills up', (size) => {
  it(
    'chat says so, ends the turn, and answers the next message once there is space',
    { timeout: 180_000 },
    async () => {
      const child = start(['chat'], size)
      const out = outputOf(child)
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
      child.stdin.write('go\n')
      await until(() => out().includes('The disk is full'), 'that the disk is full', MAX_MS)
      await makeRoom()
      child.stdin.write('again\n')
      await until(() => out().includes('there is room again'), 'the next answer', MAX_MS)
      child.stdin.end()
      expect(await ended).toBe(0)
      expectBothTurns(keptEvents())
    },
  )

  it(
    'an editor gets an error with the reason, and the next prompt is answered once there is space',
    { timeout: 180_000 },
    async () => {
      const client = acpClient(start(['acp'], size))
      await client.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
      const { sessionId } = await client.request('session/new', { cwd: scratch.project, mcpServers: [] })
      const say = (text: string) => client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
      await expect(say('go')).rejects.toThrow('The disk is full')
      await makeRoom()
      expect(await say('again')).toMatchObject({ stopReason: 'end_turn' })
      expect(await client.end()).toBe(0)
      expectBothTurns(keptEvents())
    },
  )

  it(
    'a page shows that the turn ended and why, and the next prompt is answered once there is space',
    { timeout: 180_000 },
    async () => {
      const child = start(['serve'], size + 200_000)
      const out = outputOf(child)
      await until(() => /http:\S+\n/.test(out()), 'the address', MAX_MS)
      const { origin, hash } = new URL(/http:\S+/.exec(out())![0])
      const { open } = nodeSockets()
      const connection = connect(
        webSocketTransport(open, `${origin.replace('http', 'ws')}/socket`, hash.slice('#token='.length)),
      )
      const { client } = connection
      const { sessionId } = await client.session.create({ folder: scratch.project })
      const told: RecordedEvent[] = []
      const follow = async (pushes: AsyncIterable<SessionPush>): Promise<void> => {
        for await (const push of pushes) if (push.type === 'events') told.push(...push.events.filter(isRecorded))
      }
      const followed = follow(await client.push.session({ sessionId, since: 0 })).catch(() => undefined)
      const ends = () => told.filter(({ type }) => type === 'turn.finished')
      await client.session.prompt({ sessionId, parts: [{ type: 'text', text: 'go' }] })
      await until(() => ends().length === 1, 'the end of the turn', MAX_MS)
      expect(ends()[0]).toMatchObject({ stop: 'error', failure: { code: 'store.full' } })
      expect(await client.session.list({})).toMatchObject([{ sessionId, status: 'failed' }])
      await makeRoom()
      await client.session.prompt({ sessionId, parts: [{ type: 'text', text: 'again' }] })
      await until(() => ends().length === 2, 'the end of the second turn', MAX_MS)
      connection.close()
      await followed
      const closed = new Promise((resolve) => child.once('close', resolve))
      process.kill(required(programBelow(child.pid!), 'the program'), 'SIGTERM')
      await closed
      const events = keptEvents()
      expectBothTurns(events)
      expect(events.map(({ seq, type }) => ({ seq, type }))).toEqual(told.map(({ seq, type }) => ({ seq, type })))
    },
  )
})
