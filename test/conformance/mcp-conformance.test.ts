import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const suite = join(root, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js')
const client = `${process.execPath} ${join(root, 'test', 'support', 'mcp-conformance-client.ts')}`

/** Required for revision 2025-11-25. */
const REQUIRED = [
  'initialize',
  'tools_call',
  'elicitation-sep1034-client-defaults',
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
]
/** It measures when the client comes back, so it does not run beside others. */
const TIMED = 'sse-retry'
/** Of revision 2025-03-26, and of the draft. */
const BEYOND = [
  'auth/2025-03-26-oauth-metadata-backcompat',
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/resource-mismatch',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
]

describe('client scenarios of the conformance suite, through the built program', () => {
  test('are all that the suite requires for 2025-11-25', async () => {
    const { output } = await conformance('list', '--client')
    const required = [...output.matchAll(/- (\S+) \[([^\]]*)\]/g)]
      .filter(([, , revisions]) => revisions!.includes('2025-11-25'))
      .map(([, name]) => name)
    expect(new Set(required)).toEqual(new Set([...REQUIRED, TIMED]))
  })

  test('sse-retry', async () => {
    expect(await failureOf(TIMED)).toBe('')
  })

  test.concurrent.each([...REQUIRED, ...BEYOND])(
    '%s',
    async (scenario) => {
      expect(await oneOfTwo(() => failureOf(scenario))).toBe('')
    },
    240_000,
  )
})

/** Each scenario is three processes: with more of them at one moment, the suite's own time limits say more about the machine than about the client. */
const lanes: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()]
let turn = 0
function oneOfTwo<Result>(work: () => Promise<Result>): Promise<Result> {
  const lane = turn++ % lanes.length
  const done = lanes[lane]!.then(work)
  lanes[lane] = done.catch(() => undefined)
  return done
}

/** What the suite says is wrong; empty when the scenario passes. */
async function failureOf(scenario: string): Promise<string> {
  const { code, output } = await conformance('client', '--command', client, '--scenario', scenario, '--timeout', '30000')
  return code === 0 ? '' : output
}

async function conformance(...words: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [suite, ...words], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output }
}
