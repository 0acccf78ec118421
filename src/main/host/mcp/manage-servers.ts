import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import {
  type McpServerList,
  type McpServerView,
  MCP_SERVER_SANDBOXES,
  type McpOAuth,
  type McpServerDefinition,
} from '../../../shared/configuration/customize/mcp'
import { describeSandbox } from '../../../shared/model/task/sandbox'
import { portProblem } from '../../../shared/reserved-ports'
import { table } from '../../console/output'
import type { McpPlace } from '../../engine/mcp/config/configured-server'
import { usageError, type McpAction, findServer } from './mcp-action'
import { shortText } from '../../../shared/cut-text'

/** `trestle mcp list`, and the actions that change server configuration files. */
export async function manageServers(
  action: 'list' | 'add' | 'remove' | 'enable' | 'disable',
  asked: McpAction,
): Promise<number> {
  const { mcp, folder, words, isJson } = asked
  const [name = '', tool] = words
  switch (action) {
    case 'list': {
      const list = await mcp.list(folder)
      const isUnreadable = list.servers.length === 0 && list.problems.length > 0
      // An unreadable file may contain servers.
      if (isJson || !isUnreadable) say(isJson ? `${JSON.stringify(list)}\n` : listed(list))
      reportProblems(list)
      return isUnreadable ? 1 : 0
    }
    case 'add': {
      if (!/^[\w.-]{1,64}$/.test(name))
        throw usageError(`"${name}" is not a name for a server: letters, digits, dots, - and _, at most 64.`)
      const place = placeOf(asked, name)
      const { servers } = await mcp.list(folder)
      if (servers.some((server) => server.name === name && server.scope === place.scope))
        throw usageError(
          `There is a server "${name}" already. ` +
            `Remove it first with: trestle mcp remove ${name}, or take another name.`,
        )
      const list = await mcp.save(place, parseServerDefinition(asked))
      const made = list.servers.find((server) => server.name === name && server.scope === place.scope)
      if (isJson) say(`${JSON.stringify(made)}\n`)
      else
        say(
          `Added ${name}${made?.file === undefined ? '' : ` to ${made.file}`}. Try it with: trestle mcp test ${name}\n`,
        )
      return 0
    }
    case 'remove': {
      const server = await written(asked, name)
      const list = await mcp.remove(placeOf({ ...asked, values: { project: server.scope === 'project' } }, name))
      say(
        isJson
          ? `${JSON.stringify(list)}\n`
          : `Removed ${name}${server.file === undefined ? '' : ` from ${server.file}`}.\n`,
      )
      return 0
    }
    default: {
      const { serverId } = await written(asked, name)
      const on = action === 'enable'
      const view =
        tool === undefined ? await mcp.setEnabled(serverId, on) : await mcp.setToolEnabled(serverId, tool, on)
      say(
        isJson
          ? `${JSON.stringify(view)}\n`
          : `${tool === undefined ? name : `${tool} of ${name}`} is switched ${on ? 'on' : 'off'}.\n`,
      )
      return 0
    }
  }
}

async function written(asked: McpAction, name: string): Promise<McpServerView> {
  const server = await findServer(asked, name)
  if (server.scope === 'session') throw usageError(`"${name}" belongs to a session and is written nowhere.`)
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

const STATES: Partial<Record<McpServerView['state'], string>> = { asked: 'needs approval', sign_in: 'sign-in required' }

function stateOf({ state, hiddenBy, auth }: McpServerView): string {
  if (hiddenBy !== undefined) return `hidden by ${hiddenBy}`
  return `${STATES[state] ?? state}${auth?.state === 'signed_in' ? ', signed in' : ''}`
}

/** Problems in the files, and servers that need approval. */
function reportProblems({ servers, problems }: McpServerList): void {
  for (const { file, line, message } of problems)
    process.stderr.write(`trestle: ${file}${line === undefined ? '' : `:${line}`}: ${message}\n`)
  for (const { name, notes = [] } of servers)
    for (const note of notes) process.stderr.write(`trestle: ${name}: ${note}\n`)
  for (const { name, sandbox } of servers)
    if (sandbox?.unavailable !== undefined)
      process.stderr.write(`trestle: ${name} runs without a sandbox: ${sandbox.unavailable}\n`)
  if (servers.some(({ state }) => state === 'asked'))
    process.stderr.write(
      'trestle: servers of this project wait to be accepted. ' +
        'See them with: trestle permission show; accept them with: trestle permission trust.\n',
    )
}

function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ')
  return shortText(line, 80)
}

function say(text: string): void {
  process.stdout.write(text)
}

const FOR_URLS = ['header', 'client-id', 'client-secret', 'scope', 'redirect-url', 'client-metadata-url']
const DEFAULTS = { enabled: true, startTimeoutMs: 30_000, callTimeoutMs: 60_000, disabledTools: [] }

/** The server that the arguments after `add NAME` describe: one URL, or a command with its arguments. */
function parseServerDefinition({
  words: [, first = '', ...rest],
  values,
  hasSeparator,
}: McpAction): McpServerDefinition {
  const transport = text(values['transport'])
  if (/^https?:\/\//i.test(first)) {
    if (rest.length > 0) throw usageError(`Unexpected "${rest[0]}" after the URL.`)
    if (!URL.canParse(first)) throw usageError(`"${first}" is not a whole URL; give one like https://example.org/mcp.`)
    const badPort = portProblem(first)
    if (badPort !== undefined) throw usageError(`${first} ${badPort}`)
    if (transport === 'stdio') throw usageError('--transport stdio is for commands; a URL is reached by http or sse.')
    const oauth = oauthFrom(values)
    none(values, ['env', 'sandbox'], 'a URL')
    const headers = pairs(values['header'], ':', '--header "Name: value"')
    return {
      ...DEFAULTS,
      transport: transport === 'sse' ? 'sse' : 'http',
      url: first,
      headers,
      ...(oauth && { oauth }),
    }
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(first))
    throw usageError(`"${first}" is not an address of a server: those begin with http:// or https://.`)
  if (transport === 'http' || transport === 'sse')
    throw usageError(`--transport ${transport} needs a URL, not a command.`)
  none(values, FOR_URLS, 'a command')
  if (!hasSeparator && !isProgram(first)) throw usageError(notUrlOrProgram(first))
  const sandbox = MCP_SERVER_SANDBOXES.find((each) => each === values['sandbox'])
  if (sandbox === 'unrestricted' && values['project'] === true)
    throw usageError("A project's server always runs in a sandbox: --sandbox project or project-offline.")
  return {
    ...DEFAULTS,
    transport: 'stdio',
    command: first,
    args: rest,
    env: pairs(values['env'], '=', '--env NAME=value'),
    ...(sandbox && { sandbox }),
  }
}

/** Whether the command is on the PATH. */
function isProgram(word: string): boolean {
  if (/[/\\]/.test(word)) return existsSync(word)
  const names = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'].map((end) => word + end) : [word]
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.some((folder) => names.some((name) => existsSync(join(folder, name))))
}

/** An argument without `--` is most likely a mistyped URL. */
function notUrlOrProgram(word: string): string {
  const meant = /^[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)|^localhost\b/i.test(word) ? ` Did you mean https://${word}?` : ''
  return (
    `"${word}" is no URL, since those begin with http:// or https://, and no command that is ` +
    `found here.${meant} For a command write -- before it: trestle mcp add NAME -- COMMAND ARGS.`
  )
}

function none(values: McpAction['values'], names: readonly string[], what: string): void {
  const stray = names.find((name) => values[name] !== undefined)
  if (stray !== undefined) throw usageError(`--${stray} cannot be used with ${what}.`)
}

function oauthFrom(values: McpAction['values']): McpOAuth | undefined {
  const [clientId, clientSecret, redirectUrl, clientMetadataUrl] = [
    'client-id',
    'client-secret',
    'redirect-url',
    'client-metadata-url',
  ].map((name) => text(values[name]))
  const scopes = text(values['scope'])
    ?.split(/[\s,]+/)
    .filter(Boolean)
  if (clientSecret !== undefined && clientId === undefined) throw usageError('--client-secret needs --client-id.')
  const oauth: McpOAuth = {
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(scopes && { scopes }),
    ...(redirectUrl !== undefined && { redirectUrl }),
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
  }
  return Object.keys(oauth).length > 0 ? oauth : undefined
}

function pairs(given: McpAction['values'][string], separator: string, form: string): Record<string, string> {
  const all = Array.isArray(given) ? given : given === undefined ? [] : [given]
  return Object.fromEntries(
    all.map((one) => {
      const [name, ...value] = String(one).split(separator)
      if (!name?.trim() || value.length === 0) throw usageError(`"${name}" has no value: ${form}.`)
      return [name.trim(), value.join(separator).trim()]
    }),
  )
}

function text(value: McpAction['values'][string]): string | undefined {
  return typeof value === 'string' ? value : undefined
}
