/**
 * What the conformance suite runs as its client: `node mcp-conformance-client.ts URL`, with the scenario in the environment. Each scenario is some commands of
 * the built program, in a home of their own; nothing of the protocol is done here.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: context = '{}', PATH = '', HOME = '' } = process.env
const { client_id: clientId, client_secret: clientSecret } = JSON.parse(context) as { client_id?: string; client_secret?: string }
const url = process.argv[2]!

const home = mkdtempSync(join(tmpdir(), 'trestle-conformance-'))
let code = 0
try {
  code = trestle('add', 'suite', url, ...registration()) || trestle(...use())
} finally {
  rmSync(home, { recursive: true, force: true })
}
process.exit(code)

function registration(): string[] {
  // The document the suite stands for; it need not be there.
  if (scenario === 'auth/basic-cimd') return ['--client-metadata-url', 'https://conformance-test.local/client-metadata.json']
  return clientId === undefined ? [] : ['--client-id', clientId, ...(clientSecret === undefined ? [] : ['--client-secret', clientSecret])]
}

function use(): string[] {
  if (scenario === 'initialize') return ['test', 'suite']
  if (scenario === 'tools_call') return ['call', 'suite', 'add_numbers', '{"a":5,"b":3}']
  if (scenario === 'sse-retry') return ['call', 'suite', 'test_reconnection']
  if (scenario === 'elicitation-sep1034-client-defaults')
    return ['call', 'suite', 'test_client_elicitation_defaults', '{}', '--answer', '{}']
  if (scenario.startsWith('auth/'))
    return ['call', 'suite', 'test-tool', '{}', '--browser', `${process.execPath} ${join(import.meta.dirname, 'follow-url.ts')}`]
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
