import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect } from '../../src/renderer/client/connect'
import { webSocketTransport } from '../../src/renderer/client/transports'
import type { McpServerList } from '../../src/shared/configuration/customize/mcp'
import type { TrustView } from '../../src/shared/configuration/customize/customizations'
import { acpClient } from '../support/acp-client'
import { hostileFolder, type HostileFolder } from '../support/hostile-folder'
import { startModelServer, type ModelServer } from '../support/model-server'
import { nodeSockets } from '../support/node-socket'
import { decidedBy, type Call } from '../support/permission-hosts'
import { runCli, startCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { serveApp } from '../support/served-app'
import { endHosts } from '../support/source-task-host'
import { trustProject } from '../support/trust-project'

/** A way to work in the folder: each call runs one turn. */
type Turn = () => Promise<unknown>

let scratch: Scratch
let tools: string
let folder: HostileFolder
let model: ModelServer
const cleanups: (() => unknown)[] = []

beforeEach(async () => {
  scratch = createScratch({ 'README.md': '# x\n' })
  tools = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-hostile-'))
  folder = await hostileFolder(scratch.project, tools)
  model = await startModelServer({ script: () => ({ text: 'done' }) })
  // Stubs report what runs by writing outside the project, which a sandbox would prevent.
  writeConfig(scratch.home, configFor(model.baseUrl, { more: '[sandbox]\nmode = "off"\n' }))
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  await Promise.all([model.close(), folder.close()])
  await endHosts(scratch.home)
  scratch.remove()
  rmSync(tools, { recursive: true, force: true })
})

/** Its programs come first in PATH. */
const env = (): Record<string, string> => ({ PATH: `${folder.bin}${delimiter}${process.env['PATH'] ?? ''}` })
const cli = (...args: string[]) => runCli(args, { home: scratch.home, cwd: scratch.project, env: env() })

async function trustView(): Promise<TrustView> {
  const { stdout } = await cli('permission', 'show')
  // Nothing in it can move a cursor or hide text on any display.
  expect(stdout).not.toMatch(/[^\P{C}\n]/u)
  return JSON.parse(stdout)
}

const hosts: Record<string, () => Promise<Turn>> = {
  print: async () => async () => {
    const { code, stderr } = await cli('print', 'go', '--permission-mode', 'auto')
    expect([code, stderr]).toEqual([0, expect.any(String)])
  },
  web: async () => {
    const { PATH = '' } = env()
    const app = await serveApp({ PATH, HOME: process.env['HOME'] ?? '', TRESTLE_HOME: scratch.home })
    const { origin, hash } = new URL(app.url)
    const connection = connect(
      webSocketTransport(nodeSockets().open, `${origin.replace('http', 'ws')}/socket`, hash.slice('#token='.length)),
    )
    const { client } = connection
    cleanups.push(
      () => app.close(),
      () => connection.close(),
    )
    const call: Call = async (method, input) => {
      const [group = '', name = ''] = method.split('.')
      return (client as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>)[group]![name]!(
        input,
      )
    }
    return async () => {
      // All requests of a page when a folder is opened.
      await client.trust.get({ folder: scratch.project })
      const { servers }: McpServerList = await client.mcp.list({ folder: scratch.project })
      expect(servers.length).toBeGreaterThan(5)
      await client.mcp.imports({ folder: scratch.project })
      await client.hook.list({ folder: scratch.project })
      await client.agent.list({ folder: scratch.project })
      await client.skill.list({ folder: scratch.project })
      await decidedBy(call, scratch.project, 'auto')
    }
  },
  acp: async () => {
    const child = startCli(['acp'], { home: scratch.home, cwd: scratch.project, env: env() })
    const client = acpClient(child)
    cleanups.push(() => client.end())
    await client.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
    return async () => {
      const { sessionId } = await client.request('session/new', { cwd: scratch.project, mcpServers: [] })
      await client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] })
    }
  },
}

const fromServers = (runs: readonly string[]): string[] => runs.filter((run) => !run.includes('hook'))

describe('a folder crafted to run code when opened', () => {
  it.each(Object.keys(hosts))(
    'runs nothing and connects to nothing in %s before the user accepts it, and asks again when it changes',
    { timeout: 180_000 },
    async (host) => {
      const turn = await hosts[host]!()
      await turn()
      expect(await trustView()).toMatchObject({ state: 'asked' })
      await cli('mcp', 'list', '--json')
      for (const name of ['plain', 'http']) expect(await cli('mcp', 'test', name)).toMatchObject({ code: 1 })
      await turn()
      expect([folder.runs(), folder.connections()]).toEqual([[], []])

      // Accepted programs do run, which proves that this test can fail.
      const { state, parts } = await trustProject(scratch.home, scratch.project)
      expect(state).toBe('trusted')
      expect(parts.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['rules', 'hooks', 'mcp', 'agents']))
      await turn()
      expect(folder.runs()).toEqual(
        expect.arrayContaining([
          'stub plain',
          'stub relative',
          'npx -y usual',
          'stub shell',
          'stub hook UserPromptSubmit',
        ]),
      )
      expect(folder.connections()).toEqual(
        expect.arrayContaining([expect.stringMatching(/\/http\?home=.*&key=none/), expect.stringContaining('/sse')]),
      )
      // The options that keep git from running programs contain their names.
      expect(
        folder
          .runs()
          .filter((line) => !line.startsWith('git --no-pager'))
          .join('\n'),
      ).not.toMatch(/hidden|xxxx|loaded|fsmonitor|pager|claude|agent|skill|instructions/)

      folder.change()
      const [runs, connections] = [folder.runs().length, folder.connections().length]
      await turn()
      const changed = await trustView()
      expect(changed.state).toBe('changed')
      expect(changed.parts.find(({ kind }) => kind === 'mcp')!.diff).toMatch(/^\+added: run .*stub added$/m)
      // Accepted, unchanged entries stay on; new or changed ones wait for approval.
      expect(fromServers(folder.runs().slice(runs)).join('\n')).not.toMatch(/changed|added/)
      expect(folder.runs().join('\n')).not.toContain('added hook')
      expect(folder.connections().slice(connections).join('\n')).not.toContain('/added')
    },
  )
})
