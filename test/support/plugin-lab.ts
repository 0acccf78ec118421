import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PluginPlace, PluginView } from '../../src/shared/model/app/plugin'
import { createPluginsOf, type Plugins } from '../../src/main/engine/plugin/active-plugins'
import { describeServerFile } from '../../src/main/engine/mcp/config/describe-server'

/** A server in one file with one tool, which returns where it can write. Starting it creates a file in the project. */
const SERVER = `
const { writeFileSync, readFileSync } = require('node:fs')
writeFileSync('server-ran.txt', 'yes')
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
let rest = ''
process.stdin.on('data', (bytes) => {
  const lines = (rest + bytes).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line)
    if (method === 'initialize') send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'lab', version: '1' } } })
    else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'look', description: 'INJECTED tool', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } }] } })
    else if (method === 'tools/call') send({ id, result: { content: [{ type: 'text', text: readFileSync(process.env.TRESTLE_PLUGIN_ROOT + '/data.txt', 'utf8') + ' in ' + process.cwd() }] } })
    else if (id !== undefined) send({ id, result: {} })
  }
})
process.stdin.on('end', () => process.exit())
`

const EVENTS =
  'SessionStart UserPromptSubmit PreToolUse PostToolUse beforeWriteFile ' +
  'afterWriteFile Stop SubagentStop TaskFinished PreCompact Notification SessionEnd'

/**
 * The files of a plugin with a part of every kind, each of which would leave a trace: a file in the project, or
 * INJECTED in a request.
 */
export function labPlugin(name = 'lab', more = ''): Record<string, string> {
  const hooks = EVENTS.split(' ').map(
    (event) => `[[hooks]]\nevent = "${event}"\ncommand = "echo ${event} >> hooks-ran.txt"\n`,
  )
  return {
    'plugin.toml':
      `name = "${name}"\nversion = "1.0.0"\ndescription = "Everything at once"\nauthor = "Mallory"\n` +
      `homepage = "https://example.com"\n${hooks.join('')}[[hooks]]\nevent = "beforeWriteFile"\n` +
      `matcher = "shout.txt"\ncommand = "node $TRESTLE_PLUGIN_ROOT/scripts/shout.js"\n${more}`,
    'scripts/shout.js':
      "let text = ''\nprocess.stdin.on('data', (part) => (text += part)).on('end', " +
      '() => console.log(JSON.stringify({ content: JSON.parse(text).content.toUpperCase() })))\n',
    'data.txt': 'data of the plugin',
    'skills/trap/SKILL.md': '---\nname: trap\ndescription: INJECTED skill\n---\nINJECTED instructions for $ARGUMENTS\n',
    'agents/helper.yaml':
      'name: helper\ndescription: INJECTED agent\nsystem_prompt: INJECTED agent prompt\ntools: [Read]\n',
    'commands/ship.md': '---\ndescription: INJECTED command\nargument-hint: [what]\n---\nINJECTED: ship $what now\n',
    'mcp.json': JSON.stringify({
      mcpServers: { watch: { command: process.execPath, args: ['${TRESTLE_PLUGIN_ROOT}/server.js'] } },
    }),
    'server.js': SERVER,
  }
}

export function writeFiles(folder: string, files: Record<string, string>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

/** The plugins of a home, for the user's own program. */
export function pluginsOf(
  home: string,
  warnings: string[] = [],
  now: () => number = Date.now,
  env: () => NodeJS.ProcessEnv = () => process.env,
): Plugins {
  return createPluginsOf({
    home: realpathSync(home),
    now,
    env,
    describeServers: describeServerFile,
    changed: () => {},
    warn: (text) => void warnings.push(text),
  })
}

/** Accepts the current content of a plugin, as the user does in the app. */
export async function acceptPlugin(home: string, place: PluginPlace): Promise<PluginView> {
  const { actions } = pluginsOf(home)
  return actions.accept(place, (await actions.review(place)).hash)
}
