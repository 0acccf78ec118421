import '../test/support/ts-hooks.mjs'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CATALOGUE_SERVERS, catalogueRequests } from '../test/support/catalogue-text.ts'
import { median, round, runAlone, type Measurement } from './support/measurement.ts'
import { printRun } from './support/print-run.ts'
import { makeScratch, type Scratch } from './support/scratch.ts'

const RUNS = 10
const SERVER = join(import.meta.dirname, '..', 'test', 'support', 'catalogue-server.ts')
const ON = '[tool_search]\nenabled = true\nmin_pct = 0\nmin_tokens = 0\n'
const WAIT = '[mcp]\nstart_wait_s = 60\n'

interface ChatRequest {
  messages: { role: string; content: string }[]
  tools: { function: { name: string } }[]
}

/**
 * Ten servers with 400 tools: their share of a request with and without tool search, the cost of a search, and how well
 * it finds the intended tool.
 */
export default async function toolSearch(): Promise<Measurement[]> {
  const { createToolIndex } = await import('../src/main/engine/mcp/tool/tool-index.ts')
  const { readToolCatalogue } = await import('../test/support/read-tool-catalogue.ts')
  const tools = readToolCatalogue()
  const began = performance.now()
  const index = createToolIndex(tools)
  const built = performance.now()
  const requests = catalogueRequests()
  const places = requests.map(({ request, meant }) =>
    index
      .search(request, { limit: 5, threshold: 1.5 })
      .findIndex(({ tool: { server } }) => meant.includes(`${server.name}::${server.tool}`)),
  )
  const searched = performance.now()

  const [plain, searching, none] = [scratchWith(WAIT), scratchWith(`${WAIT}${ON}`), makeScratch()]
  try {
    const all = await firstRequest(plain)
    const listed = await firstRequest(searching)
    const servers = serverBytes(all)
    const list = Buffer.byteLength(/<deferred_tools>[\s\S]*<\/deferred_tools>/.exec(systemOf(listed))?.[0] ?? '')
    const [without, withServers]: [number[], number[]] = [[], []]
    await firstRequest(none)
    for (let run = 0; run < RUNS; run++) {
      without.push(await startTime(none))
      withServers.push(await startTime(searching))
    }
    return [
      { name: 'schemas of 400 tools of servers in each request, without tool search', value: servers, unit: 'bytes' },
      {
        name: 'the same with tool search',
        value: serverBytes(listed) + list,
        unit: 'bytes',
        note: `${serverBytes(listed)} of schemas, before one is asked for`,
      },
      { name: 'share of the list', value: round((list / servers) * 100, 1), unit: '%', limit: 30 },
      {
        name: 'start to first request, growth',
        value: round(median(withServers) - median(without), 0),
        unit: 'ms',
        limit: 50,
        note:
          `medians of ${RUNS}: ${round(median(without), 0)} ms without servers, ` +
          `${round(median(withServers), 0)} ms with ten that are known`,
      },
      { name: 'index of 400 tools', value: round(built - began, 1), unit: 'ms', note: 'at the first search' },
      { name: 'a search', value: round((searched - built) / requests.length, 2), unit: 'ms' },
      {
        name: 'requests in plain words with the right tool among the first 5',
        value: places.filter((place) => place >= 0).length,
        unit: 'count',
        note: `${places.filter((place) => place === 0).length} as the first; at least 95`,
      },
    ]
  } finally {
    for (const scratch of [plain, searching, none]) scratch.remove()
  }
}

const serverNamed = (name: string): [string, object] => [
  name,
  { command: process.execPath, args: ['--no-warnings', SERVER, name] },
]

/** A home with ten user servers. */
function scratchWith(config: string): Scratch {
  const scratch = makeScratch()
  writeFileSync(
    join(scratch.home, 'mcp.json'),
    JSON.stringify({ mcpServers: Object.fromEntries(CATALOGUE_SERVERS.map(serverNamed)) }),
  )
  writeFileSync(join(scratch.home, 'more.toml'), config)
  return scratch
}

async function firstRequest(scratch: Scratch): Promise<ChatRequest> {
  const { arrivals } = await printRun({ answers: () => undefined, scratch })
  return JSON.parse(arrivals[0]!.body!) as ChatRequest
}

async function startTime(scratch: Scratch): Promise<number> {
  const { startedAt, arrivals } = await printRun({ answers: () => undefined, scratch })
  return arrivals[0]!.at - startedAt
}

const systemOf = ({ messages }: ChatRequest): string =>
  messages.find(({ role }) => role === 'system' || role === 'developer')?.content ?? ''

function serverBytes({ tools }: ChatRequest): number {
  const sent = tools.filter((tool) => tool.function.name.startsWith('mcp__'))
  return sent.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(sent))
}

await runAlone(import.meta.main, toolSearch)
