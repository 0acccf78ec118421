import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { acpRun, choosing, say, type AcpRun } from '../support/acp-run'
import { isAlive } from '../support/marked-pids'
import { stdioServer } from '../support/mcp-lab'
import type { ScriptStep } from '../support/model-script'
import { nodeProgram } from '../support/node-program'

const EVERYTHING = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))

let run: AcpRun

afterEach(async () => {
  await run.close()
})

const call = (name: string, input: Record<string, unknown> = {}): ScriptStep => ({ toolCalls: [{ name, input }] })

function results(): string[] {
  const { messages } = run.server.requests.at(-1)!.body as { messages: { role: string; content: string }[] }
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
}

async function open(server: object, clientCapabilities: object = {}): Promise<string> {
  const { agentCapabilities } = await run.client.request('initialize', { protocolVersion: 1, clientCapabilities })
  expect(agentCapabilities.mcpCapabilities).toEqual({ http: true, sse: true })
  const { sessionId } = await run.client.request('session/new', { cwd: run.scratch.project, mcpServers: [server] })
  return sessionId
}

it("uses the editor's servers without asking for consent, starts each only when needed, and leaves no process behind", async () => {
  const answers = { 'session/request_permission': choosing('allow_once') }
  run = await acpRun({ script: [call('mcp__lab__echo', { text: 'hello' }), { text: 'ok' }], answers })
  const starts = join(run.scratch.home, 'starts')
  const { command, args } = stdioServer([`starts=${starts}`]) as { command: string; args: string[] }
  const sessionId = await open({ name: 'lab', command, args, env: [{ name: 'LAB', value: 'yes' }] })
  expect(existsSync(starts)).toBe(false)
  await say(run.client, sessionId, 'echo')
  expect(results()[0]).toContain('hello')
  const asked = run.client.messages
    .filter(({ method }) => method === 'session/request_permission')
    .map(({ params }) => params!['toolCall'])
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatchObject({ title: 'lab · echo: hello', name: 'mcp__lab__echo' })
  expect(JSON.stringify(asked[0].content)).toContain('text: hello')
  const pids = readFileSync(starts, 'utf8').trim().split('\n').map(Number)
  expect(pids).toHaveLength(1)
  await run.client.end()
  expect(pids.filter(isAlive)).toEqual([])
})

it("shows a server's form to the user of the editor", async () => {
  const seen: unknown[] = []
  const answers = {
    'session/request_permission': choosing('allow_once'),
    'elicitation/create'({ requestedSchema }: Record<string, Record<string, object>>) {
      seen.push(...Object.keys(requestedSchema!['properties']!))
      return { action: 'accept', content: { name: 'Ada', check: true } }
    },
  }
  run = await acpRun({
    script: [call('mcp__every__trigger-elicitation-request'), { text: 'ok' }, { text: 'prompted' }],
    answers,
  })
  const [command, ...args] = nodeProgram(EVERYTHING)
  const server = { name: 'every', command, args: [...args, 'stdio'], env: [] }
  const sessionId = await open(server, { elicitation: { form: {} } })
  await say(run.client, sessionId, 'ask me')
  expect(seen).toContain('name')
  expect(results()[0]).toContain('Ada')
  const told = await run.client.until(({ params }) =>
    JSON.stringify(params?.['update']?.availableCommands ?? '').includes('mcp:every:'),
  )
  const [prompt] = told.params!['update'].availableCommands.filter(({ name }: { name: string }) =>
    name.startsWith('mcp:every:simple'),
  )
  await say(run.client, sessionId, `/${prompt.name}`)
  expect(JSON.stringify(run.server.requests.at(-1)!.body)).toContain('This is a simple prompt')
})

it('rejects two servers with the same name before creating anything', async () => {
  run = await acpRun({ script: [] })
  await run.client.request('initialize', { protocolVersion: 1 })
  const server = { name: 'twice', command: 'true', args: [], env: [] }
  await expect(
    run.client.request('session/new', { cwd: run.scratch.project, mcpServers: [server, server] }),
  ).rejects.toMatchObject({
    code: -32602,
  })
  expect((await run.client.request('session/list', {})).sessions).toEqual([])
})
