import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AppPush } from '../../src/shared/events/push'
import { acpRun, say } from '../support/acp-run'
import { startChat } from '../support/chat-terminal'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli, type CliRun } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { startWire } from '../support/wire-client'

let scratch: Scratch
let server: ModelServer
beforeEach(async () => {
  scratch = createScratch({})
  server = await startModelServer({ script: Array.from({ length: 5 }, () => ({ text: 'the answer' })) })
  writeConfig(scratch.home, `${configFor(server.baseUrl)}\n[mcp]\nstart_wait_s = 60\n`)
})
afterEach(async () => {
  await server.close()
  scratch.remove()
})

const BROKEN = '{\n  "mcpServers": {\n    "files": { "command": "x" \n'
const GONE = { mcpServers: { gone: { command: '/there/is/no/such-program' } } }
const HANGS = { mcpServers: { slow: { command: '/bin/sh', args: ['-c', 'exec sleep 60'] } } }
const write = (servers: object | string, file = join(scratch.home, 'mcp.json')): void =>
  writeFileSync(file, typeof servers === 'string' ? servers : JSON.stringify(servers))
const print = (...options: string[]): Promise<CliRun> =>
  runCli(['print', 'go', '--cwd', scratch.project, ...options], { home: scratch.home })

const WRONG_FILE =
  /mcp\.json:4: .*missing.* The MCP servers that this concerns are not used until the file is corrected\./
const GONE_SERVER = /The MCP server gone could not be reached: .*such-program.*test it with "trestle mcp test gone"\./

describe('print', () => {
  test('reports errors in mcp.json, in every format', async () => {
    write(BROKEN)
    for (const format of ['text', 'json', 'stream-json']) {
      const { code, stdout, stderr } = await print('--output-format', format)
      expect(code).toBe(0)
      expect(stderr.split('\n').filter((line) => WRONG_FILE.test(line))).toHaveLength(1)
      expect(stdout).not.toContain('mcp.json')
    }
  })

  test("reports errors in a project's .mcp.json, even before the project is trusted", async () => {
    mkdirSync(scratch.project, { recursive: true })
    write(BROKEN, join(scratch.project, '.mcp.json'))
    const { code, stderr } = await print()
    expect(code).toBe(0)
    expect(stderr).toMatch(WRONG_FILE)
  })

  test('reports which server failed to start, why, and what to do', async () => {
    write(GONE)
    const { code, stdout, stderr } = await print()
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'the answer\n' })
    expect(stderr.match(new RegExp(GONE_SERVER, 'g'))).toHaveLength(1)
  })

  test('says that it waits for a server that hangs, and that it continues without it', async () => {
    write(HANGS)
    writeConfig(scratch.home, `${configFor(server.baseUrl)}\n[mcp]\nstart_wait_s = 2\n`)
    const { code, stderr } = await print()
    expect(code).toBe(0)
    expect(stderr).toContain('trestle: Waiting for the MCP server slow (up to 2 s)…\n')
    expect(stderr).toContain('The MCP server slow has not started within 2 s. The agent continues without it')
    const json = await print('--output-format', 'json')
    expect(json.stderr).not.toContain('Waiting')
    expect(json.stderr).toContain('has not started')
  })
})

test('chat shows it in the conversation', async () => {
  write(GONE)
  const chat = startChat(['--cwd', scratch.project], { home: scratch.home, columns: 240 })
  try {
    await chat.shows('›')
    chat.type('go\r')
    await chat.shows(GONE_SERVER)
    expect(chat.screen().match(new RegExp(GONE_SERVER, 'g'))).toHaveLength(1)
  } finally {
    chat.kill()
    await chat.ended
  }
})

test('wire notifies its clients, and prints it to stderr', async () => {
  write(BROKEN)
  const wire = startWire({ home: scratch.home })
  wire.begin('push.app')
  const { sessionId } = await wire.result<{ sessionId: string }>('session.create', { folder: scratch.project })
  await wire.result('session.prompt', { sessionId, parts: [{ type: 'text', text: 'go' }] })
  const isNotice = (line: unknown): boolean => {
    const push = (line as { event?: AppPush }).event
    return push?.type === 'notice' && push.about === 'mcp' && WRONG_FILE.test(push.text)
  }
  await wire.line('the notice', isNotice)
  expect(wire.stderr()).toMatch(WRONG_FILE)
  await wire.end()
})

test('an editor gets a notice', async () => {
  const run = await acpRun({ script: [{ text: 'ok' }] })
  write(GONE, join(run.scratch.home, 'mcp.json'))
  try {
    await run.client.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
    const { sessionId } = await run.client.request('session/new', { cwd: run.scratch.project, mcpServers: [] })
    await say(run.client, sessionId as string, 'go')
    await expect.poll(() => JSON.stringify(run.client.messages)).toMatch(/The MCP server gone could not be reached/)
  } finally {
    await run.close()
  }
})
