import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { MCP_SERVER_SANDBOXES, type McpOAuth, type McpServerDefinition } from '../../../shared/model/mcp'
import { wrong, type McpAction } from './mcp-action'

const FOR_URLS = ['header', 'client-id', 'client-secret', 'scope', 'redirect-url', 'client-metadata-url']
const DEFAULTS = { enabled: true, startTimeoutMs: 30_000, callTimeoutMs: 60_000, disabledTools: [] }

/** The server that the words after `add NAME` describe: one URL, or a command with its arguments. */
export function definitionFrom({ words: [, first = '', ...rest], values, hasSeparator }: McpAction): McpServerDefinition {
  const transport = text(values['transport'])
  if (/^https?:\/\//i.test(first)) {
    if (rest.length > 0) throw wrong(`Unexpected "${rest[0]}" after the URL.`)
    if (!URL.canParse(first)) throw wrong(`"${first}" is not a whole URL; give one like https://example.org/mcp.`)
    if (transport === 'stdio') throw wrong('--transport stdio is for commands; a URL is reached by http or sse.')
    const oauth = oauthFrom(values)
    none(values, ['env', 'sandbox'], 'a URL')
    const headers = pairs(values['header'], ':', '--header "Name: value"')
    return { ...DEFAULTS, transport: transport === 'sse' ? 'sse' : 'http', url: first, headers, ...(oauth && { oauth }) }
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(first)) throw wrong(`"${first}" is no address of a server: those begin with http:// or https://.`)
  if (transport === 'http' || transport === 'sse') throw wrong(`--transport ${transport} needs a URL, not a command.`)
  none(values, FOR_URLS, 'a command')
  if (!hasSeparator && !isProgram(first)) throw wrong(neither(first))
  const sandbox = MCP_SERVER_SANDBOXES.find((each) => each === values['sandbox'])
  if (sandbox === 'unrestricted' && values['project'] === true)
    throw wrong("A project's server always runs in a sandbox: --sandbox project or project-offline.")
  return {
    ...DEFAULTS,
    transport: 'stdio',
    command: first,
    args: rest,
    env: pairs(values['env'], '=', '--env NAME=value'),
    ...(sandbox && { sandbox }),
  }
}

/** Whether a shell would find it here. */
function isProgram(word: string): boolean {
  if (/[/\\]/.test(word)) return existsSync(word)
  const names = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'].map((end) => word + end) : [word]
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.some((folder) => names.some((name) => existsSync(join(folder, name))))
}

/** What is written without `--` is most likely an address with a mistake. */
function neither(word: string): string {
  const meant = /^[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)|^localhost\b/i.test(word) ? ` Did you mean https://${word}?` : ''
  return `"${word}" is no URL, since those begin with http:// or https://, and no command that is found here.${meant} For a command write -- before it: trestle mcp add NAME -- COMMAND ARGS.`
}

function none(values: McpAction['values'], names: readonly string[], what: string): void {
  const stray = names.find((name) => values[name] !== undefined)
  if (stray !== undefined) throw wrong(`--${stray} does not go with ${what}.`)
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
  if (clientSecret !== undefined && clientId === undefined) throw wrong('--client-secret needs --client-id.')
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
      if (!name?.trim() || value.length === 0) throw wrong(`"${name}" has no value: ${form}.`)
      return [name.trim(), value.join(separator).trim()]
    }),
  )
}

function text(value: McpAction['values'][string]): string | undefined {
  return typeof value === 'string' ? value : undefined
}
