import type { McpServerList, McpServerView } from '../../../shared/model/mcp'
import { describeSandbox } from '../../../shared/model/sandbox'
import { table } from '../../command-line/table'
import type { McpPlace } from '../../engine/mcp/mcp'
import { definitionFrom } from './definition-from'
import { wrong, type McpAction } from './mcp-action'
import { namedServer } from './named-server'

/** `trestle mcp list`, and what changes the files servers are written in. */
export async function manageServers(action: 'list' | 'add' | 'remove' | 'enable' | 'disable', asked: McpAction): Promise<number> {
  const { mcp, folder, words, isJson } = asked
  const [name = '', tool] = words
  switch (action) {
    case 'list': {
      const list = await mcp.list(folder)
      say(isJson ? `${JSON.stringify(list)}\n` : listed(list))
      tellProblems(list)
      return 0
    }
    case 'add': {
      if (!/^[\w.-]{1,64}$/.test(name)) throw wrong(`"${name}" is no name for a server: letters, digits, dots, - and _, at most 64.`)
      const place = placeOf(asked, name)
      const { servers } = await mcp.list(folder)
      if (servers.some((server) => server.name === name && server.scope === place.scope))
        throw wrong(`There is a server "${name}" already. Remove it first with: trestle mcp remove ${name}, or take another name.`)
      const list = await mcp.save(place, definitionFrom(asked))
      const made = list.servers.find((server) => server.name === name && server.scope === place.scope)
      if (isJson) say(`${JSON.stringify(made)}\n`)
      else say(`Added ${name}${made?.file === undefined ? '' : ` to ${made.file}`}. Try it with: trestle mcp test ${name}\n`)
      return 0
    }
    case 'remove': {
      const server = await written(asked, name)
      const list = await mcp.remove(placeOf({ ...asked, values: { project: server.scope === 'project' } }, name))
      say(isJson ? `${JSON.stringify(list)}\n` : `Removed ${name}${server.file === undefined ? '' : ` from ${server.file}`}.\n`)
      return 0
    }
    default: {
      const { serverId } = await written(asked, name)
      const on = action === 'enable'
      const view = tool === undefined ? await mcp.setEnabled(serverId, on) : await mcp.setToolEnabled(serverId, tool, on)
      say(isJson ? `${JSON.stringify(view)}\n` : `${tool === undefined ? name : `${tool} of ${name}`} is switched ${on ? 'on' : 'off'}.\n`)
      return 0
    }
  }
}

async function written(asked: McpAction, name: string): Promise<McpServerView> {
  const server = await namedServer(asked, name)
  if (server.scope === 'session') throw wrong(`"${name}" belongs to a session and is written nowhere.`)
  return server
}

function placeOf({ folder, values }: Pick<McpAction, 'folder' | 'values'>, name: string): McpPlace {
  return values['project'] === true ? { scope: 'project', folder, name } : { scope: 'user', name }
}

function listed({ servers }: McpServerList): string {
  if (servers.length === 0)
    return 'No servers are configured. Add one with: trestle mcp add NAME URL, or trestle mcp add NAME -- COMMAND.\n'
  return table(
    ['NAME', 'SCOPE', 'STATE', 'TOOLS', 'TRANSPORT', 'SANDBOX', 'TARGET'],
    servers.map((server) => [
      server.name,
      server.scope,
      stateOf(server),
      String(server.tools.length),
      server.transport,
      server.sandbox ? describeSandbox(server.sandbox) : '-',
      oneLine(server.target),
    ]),
  )
}

const STATES: Partial<Record<McpServerView['state'], string>> = { asked: 'to be accepted', sign_in: 'wants a sign-in' }

function stateOf({ state, hiddenBy, auth }: McpServerView): string {
  if (hiddenBy !== undefined) return `hidden by ${hiddenBy}`
  return `${STATES[state] ?? state}${auth?.state === 'signed_in' ? ', signed in' : ''}`
}

/** What is wrong with the files, and what waits for a person. */
function tellProblems({ servers, problems }: McpServerList): void {
  for (const { file, line, message } of problems)
    process.stderr.write(`trestle: ${file}${line === undefined ? '' : `:${line}`}: ${message}\n`)
  for (const { name, notes = [] } of servers) for (const note of notes) process.stderr.write(`trestle: ${name}: ${note}\n`)
  for (const { name, sandbox } of servers)
    if (sandbox?.unavailable !== undefined) process.stderr.write(`trestle: ${name} runs without a sandbox: ${sandbox.unavailable}\n`)
  if (servers.some(({ state }) => state === 'asked'))
    process.stderr.write(
      'trestle: servers of this project wait to be accepted. See them with: trestle permission show; accept them with: trestle permission trust.\n',
    )
}

function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

function say(text: string): void {
  process.stdout.write(text)
}
