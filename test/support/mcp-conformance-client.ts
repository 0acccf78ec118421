/**
 * The client for the conformance suite: `node mcp-conformance-client.ts URL`, with the scenario in the environment.
 * Each scenario runs some commands of the built program, in its own home; this file implements no part of the protocol.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeProgram } from './node-program.ts'

const root = join(import.meta.dirname, '..', '..')
const {
  MCP_CONFORMANCE_SCENARIO: scenario = '',
  MCP_CONFORMANCE_CONTEXT: context = '{}',
  PATH = '',
  HOME = '',
} = process.env
const {
  client_id: clientId,
  client_secret: clientSecret,
  toolCalls = [],
} = JSON.parse(context) as {
  client_id?: string
  client_secret?: string
  toolCalls?: { name: string; arguments: unknown }[]
}
const url = process.argv[2]!

const home = mkdtempSync(join(tmpdir(), 'trestle-conformance-'))
let code = 0
try {
  const options = registration()
  if (options.length > 0) code = trestle('add', 'suite', url, ...options)
  else writeFileSync(join(home, 'mcp.json'), JSON.stringify({ mcpServers: { suite: { url } } }))
  for (const words of uses()) code ||= trestle(...words)
} finally {
  rmSync(home, { recursive: true, force: true })
}
process.exit(code)

function registration(): string[] {
  // The document that the suite uses; it need not exist.
  if (scenario === 'auth/basic-cimd')
    return ['--client-metadata-url', 'https://conformance-test.local/client-metadata.json']
  return clientId === undefined
    ? []
    : ['--client-id', clientId, ...(clientSecret === undefined ? [] : ['--client-secret', clientSecret])]
}

function uses(): string[][] {
  const call = (tool: string, input: unknown = {}, ...more: string[]): string[] => [
    'call',
    'suite',
    tool,
    JSON.stringify(input),
    ...more,
  ]
  switch (scenario) {
    case 'initialize':
    case 'request-metadata':
    case 'json-schema-ref-no-deref':
      return [['test', 'suite']]
    case 'tools_call':
      return [call('add_numbers', { a: 5, b: 3 })]
    case 'sse-retry':
      return [call('test_reconnection')]
    case 'elicitation-sep1034-client-defaults':
      return [call('test_client_elicitation_defaults', {}, '--answer', '{}')]
    case 'sep-2322-client-request-state':
      return ['echo_state', 'no_state', 'unrelated', 'no_result_type'].map((name) =>
        call(`test_mrtr_${name}`, {}, '--answer', '{}'),
      )
    case 'http-standard-headers':
      return [['test', 'suite'], call('test_headers')]
    case 'http-custom-headers':
      return toolCalls.map(({ name, arguments: input }) => call(name, input))
    case 'http-invalid-tool-headers':
      return [call('valid_tool', { region: 'here' })]
  }
  if (scenario.startsWith('auth/'))
    return [call('test-tool', {}, '--browser', nodeProgram('./follow-url.ts').join(' '))]
  throw new Error(`There are no commands for the scenario ${scenario}.`)
}

function trestle(...words: string[]): number {
  const cli = join(root, 'out', 'main', 'cli.js')
  const { status } = spawnSync(process.execPath, [cli, 'mcp', ...words], {
    cwd: home,
    env: { PATH, HOME, TRESTLE_KEY_STORE: 'file', TRESTLE_HOME: home },
    stdio: 'inherit',
  })
  return status ?? 1
}
