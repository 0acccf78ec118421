import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { PermissionMode } from '../../src/shared/model/approval/approval'
import type { RecordedRequest, ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

const ASKING = ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode']
const SEARCH = '[web.search]\nprovider = "searxng"\nbase_url = "http://127.0.0.1:9"\n'

let scratch: Scratch
let server: ModelServer
let engine: Engine
let sessionId: string

async function start({
  script = [{ text: 'done' }],
  interactive = true,
  mode = 'ask',
  config = '',
  files = {},
  isRepository = false,
}: {
  script?: ScriptStep[]
  interactive?: boolean
  mode?: PermissionMode
  config?: string
  files?: Record<string, string>
  isRepository?: boolean
} = {}): Promise<void> {
  scratch = createScratch({ 'src/a.ts': '', 'package.json': '{}', '.env': 'KEY=1', ...files })
  if (isRepository) {
    const git = (...args: string[]): void =>
      void execFileSync(
        'git',
        ['-c', 'user.name=T', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=trunk', ...args],
        {
          cwd: scratch.project,
          stdio: 'pipe',
        },
      )
    git('init')
    git('add', '.')
    git('commit', '-m', 'First commit')
    writeFileSync(join(scratch.project, 'package.json'), '{ "name": "changed" }')
  }
  server = await startModelServer({ script })
  writeConfig(scratch.home, configFor(server.baseUrl, { more: config }))
  engine = await createEngine({
    version: '0',
    home: scratch.home,
    watch: false,
    interactive,
    log: (message) => expect.soft(message).toBe(''),
  })
  ;({ sessionId } = await engine.sessions.create({ folder: scratch.project, mode }))
}
afterEach(async () => {
  await engine.close()
  await server.close()
  scratch.remove()
})

async function turn(words = 'go'): Promise<void> {
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: words }])
  await until(() => engine.sessions.header(sessionId).turnId === undefined, 'the end of the turn')
}
interface Sent {
  messages: { role: string; content: unknown }[]
  tools: { function: { name: string } }[]
}
const sentIn = ({ body }: RecordedRequest): Sent => body as unknown as Sent
const systemOf = (request: RecordedRequest): string =>
  sentIn(request).messages.find(({ role }) => role === 'system')!.content as string
const toolsOf = (request: RecordedRequest): string[] => sentIn(request).tools.map(({ function: { name } }) => name)
const said = (request: RecordedRequest): string[] =>
  sentIn(request).messages.flatMap(({ role, content }) => (role === 'system' ? [] : [`${role} ${content as string}`]))
const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

it('in the app says where the model works, what needs approval and that the user gives it', async () => {
  await start({ isRepository: true, mode: 'accept-edits' })
  await turn()
  const system = systemOf(server.requests[0]!)
  expect(system).toContain(`Project folder: ${scratch.project} (a git repository)\n`)
  expect(system).toMatch(/^System: \S+ .*\. Shell: bash \d/m)
  expect(system).toMatch(/^Today: \d{4}-\d\d-\d\d\.$/m)
  expect(system).toContain(
    'Git when this conversation began: branch trunk, 1 changed or new file, last commit: "First commit".\n',
  )
  expect(system).toContain('In the project folder: src/, package.json\n')
  expect(system).toMatch(
    /^Permission mode: accept-edits\. .* Other calls wait until the user approves or rejects them\.$/m,
  )
  expect(system).toMatch(/^Sandbox: (?:none|project|read-only); .*\.$/m)
  expect(toolsOf(server.requests[0]!)).toEqual(expect.arrayContaining(ASKING))
})

it('in print mode says that no approvals or answers are possible, and offers no tool that asks', async () => {
  await start({ interactive: false, mode: 'auto' })
  await turn()
  expect(systemOf(server.requests[0]!)).toMatch(
    /^Permission mode: auto\. .* No user can approve anything in this session/m,
  )
  expect(toolsOf(server.requests[0]!).filter((name) => ASKING.includes(name))).toEqual([])
})

it('explains plan mode in a message, and asks for the plan as the answer when no user can approve it', async () => {
  await start()
  await engine.plans.enter(sessionId)
  await turn()
  expect(said(server.requests[0]!).at(-1)).toMatch(/^user Plan mode is on[^]*ExitPlanMode/)
  await engine.close()
  await server.close()
  scratch.remove()
  await start({ interactive: false })
  await engine.plans.enter(sessionId)
  await turn()
  const told = said(server.requests[0]!).at(-1)!
  expect(told).toMatch(/^user Plan mode is on[^]*give the whole of it as your answer/)
  expect(told).not.toMatch(/ExitPlanMode|AskUserQuestion/)
  expect(told).toContain((await engine.plans.view(sessionId)).file)
})

it('takes at most 5 kB for the system prompt, and 22 kB in total with every tool', async () => {
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`folder-${n}/file.txt`, '']))
  await start({ isRepository: true, mode: 'accept-edits', config: SEARCH, files })
  await turn()
  const sent = sentIn(server.requests[0]!)
  expect(toolsOf(server.requests[0]!)).toEqual(expect.arrayContaining([...ASKING, 'WebSearch', 'CreateSubagent']))
  if (process.env['SHOW']) process.stderr.write(sent.tools.map((t) => `${bytes(t)} ${JSON.stringify(t)}\n`).join(''))
  expect(bytes(sent.messages.filter(({ role }) => role === 'system'))).toBeLessThanOrEqual(5_000)
  expect(bytes(sent)).toBeLessThanOrEqual(22_000)
})

it("includes a folder's instructions once, after the first call that works there, even across a restart", async () => {
  const read = (path: string): ScriptStep => ({ toolCalls: [{ name: 'Read', input: { path } }] })
  const files = { 'AGENTS.md': 'of the project', 'pkg/AGENTS.md': 'of the package', 'pkg/a.ts': 'a', 'pkg/b.ts': 'b' }
  await start({
    script: [read('pkg/a.ts'), read('pkg/b.ts'), { text: 'done' }, read('pkg/b.ts'), { text: 'done' }],
    files,
  })
  await turn()
  const mark = `<instructions path="${join(scratch.project, 'pkg/AGENTS.md')}">`
  expect(said(server.requests[0]!).join('\n')).not.toContain(mark)
  expect(said(server.requests[1]!).at(-1)).toContain(`${mark}\nof the package\n</instructions>`)
  await engine.close()
  engine = await createEngine({ version: '0', home: scratch.home, watch: false, interactive: true })
  await engine.sessions.open(sessionId, 1)
  await turn('again')
  const last = server.requests.at(-1)!
  expect(server.requests).toHaveLength(5)
  expect(said(last).filter((text) => text.includes(mark))).toHaveLength(1)
  expect(systemOf(last)).toContain('of the project\n</instructions>')
})

it('tells the model in the next turn that the user stopped its answer', async () => {
  await start({
    script: [{ text: 'half an answer, the rest never comes', faults: { stallAfterBytes: 300 } }, { text: 'done' }],
  })
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'first' }])
  await server.arrived(1)
  await engine.sessions.stop(sessionId)
  await turn('second')
  expect(said(server.requests[1]!).slice(-2)).toEqual([
    'user Your last answer was interrupted before it was complete, by the user or by an error.',
    'user second',
  ])
})
