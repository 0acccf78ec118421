import { MCP_SERVER_SANDBOXES, type McpServerDefinition } from '../../../../shared/configuration/customize/mcp'
import { DefinitionReader, type DefinitionProblem } from './definition-reader'
import { isRecord } from '../../../../shared/json-fields'
import { portProblem } from '../../../../shared/reserved-ports'

export const START_TIMEOUT_MS = 30_000
export const CALL_TIMEOUT_MS = 60_000
/** More than any server needs; the length of a longer definition could hide what it does. */
const MAX_CHARACTERS = 16_000

/** Other products' names for the transports. */
const TRANSPORTS: Readonly<Record<string, McpServerDefinition['transport']>> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  streamablehttp: 'http',
  httpstream: 'http',
  remote: 'http',
  sse: 'sse',
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/
const VARIABLE_NAME = /^[A-Za-z_]\w*$/

/**
 * Reads one server's definition, using the key names of this and other products. `undefined` when it is unusable; every
 * mistake is reported in `problems`, and no message quotes a value that could be a secret.
 */
export function readDefinition(raw: unknown, problems: DefinitionProblem[]): McpServerDefinition | undefined {
  const reader = new DefinitionReader(isRecord(raw) ? raw : {}, problems)
  if (!isRecord(raw)) return reader.fatal([], 'A server is an object with a command or a url.')
  if (JSON.stringify(raw).length > MAX_CHARACTERS)
    return reader.fatal([], `It is longer than ${MAX_CHARACTERS} characters, so it is not used.`)
  const command = reader.text('command')
  const url = reader.text('url') ?? reader.text('httpUrl') ?? reader.text('serverUrl')
  const transport = transportOf(raw, reader, { command, url })
  if (!transport) return undefined
  const timeout = reader.duration('timeout')
  const common = {
    enabled: reader.flag('disabled') === true ? false : (reader.flag('enabled') ?? true),
    startTimeoutMs: reader.duration('startupTimeoutMs') ?? START_TIMEOUT_MS,
    callTimeoutMs: reader.duration('toolTimeoutMs') ?? timeout ?? CALL_TIMEOUT_MS,
    disabledTools: reader.texts('disabledTools') ?? [],
    ...(raw['enabledTools'] !== undefined && { enabledTools: reader.texts('enabledTools') ?? [] }),
  }
  const definition =
    transport === 'stdio' ? readStdio(reader, command, common) : readRemote(reader, transport, url, common)
  reader.finish()
  return problems.some(({ fatal }) => fatal) ? undefined : definition
}

type Common = Pick<
  McpServerDefinition,
  'enabled' | 'startTimeoutMs' | 'callTimeoutMs' | 'disabledTools' | 'enabledTools'
>

function readStdio(
  reader: DefinitionReader,
  command: string | undefined,
  common: Common,
): McpServerDefinition | undefined {
  if (command === undefined) return reader.fatal(['command'], 'A server that is run needs a command.')
  const args = reader.texts('args') ?? []
  const env = reader.pairs('env', (name) =>
    /[=\0]/.test(name) || name === '' ? 'is not a valid name of an environment variable' : undefined,
  )
  const cwd = reader.text('cwd')
  const sandbox = reader.oneOf('sandbox', MCP_SERVER_SANDBOXES)
  if ([command, cwd ?? '', ...args, ...Object.values(env)].some((text) => text.includes('\0')))
    reader.fatal([], 'A command, its arguments and its environment cannot contain the sign NUL.')
  reader.unused(
    ['url', 'headers', 'bearerTokenEnvVar', 'oauth'],
    'is for servers that are connected to; this one is run.',
  )
  return {
    ...common,
    transport: 'stdio',
    command,
    args,
    env,
    ...(cwd !== undefined && { cwd }),
    ...(sandbox && { sandbox }),
  }
}

function readRemote(
  reader: DefinitionReader,
  transport: 'http' | 'sse',
  url: string | undefined,
  common: Common,
): McpServerDefinition | undefined {
  if (url === undefined) return reader.fatal(['url'], 'A server that is connected to needs a url.')
  const mistake = urlProblem(url)
  if (mistake !== undefined) return reader.fatal(['url'], mistake)
  const headers = reader.pairs('headers', (name, value) =>
    !HEADER_NAME.test(name)
      ? 'is not a valid header name'
      : /[\r\n\0]/.test(value)
        ? 'has a line break in its value'
        : undefined,
  )
  const variable = reader.text('bearerTokenEnvVar')
  if (variable !== undefined && !VARIABLE_NAME.test(variable))
    reader.fatal(['bearerTokenEnvVar'], 'must name an environment variable.')
  else if (variable !== undefined && !Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    headers['Authorization'] = `Bearer \${${variable}}`
  const oauth = reader.oauth()
  reader.unused(['command', 'args', 'env', 'cwd', 'sandbox'], 'is for servers that are run; this one is connected to.')
  return { ...common, transport, url, headers, ...(oauth && { oauth }) }
}

function transportOf(
  raw: Readonly<Record<string, unknown>>,
  reader: DefinitionReader,
  { command, url }: { command: string | undefined; url: string | undefined },
): McpServerDefinition['transport'] | undefined {
  const key = raw['type'] === undefined ? 'transport' : 'type'
  const named = raw[key]
  if (named !== undefined) {
    const transport = typeof named === 'string' ? TRANSPORTS[named.toLowerCase().replace(/[-_ ]/g, '')] : undefined
    return transport ?? reader.fatal([key], 'must be "stdio", "http" or "sse".')
  }
  if (command !== undefined && url !== undefined)
    return reader.fatal([], 'It has a command and a url: say which counts with "type".')
  if (command !== undefined) return 'stdio'
  return url !== undefined ? 'http' : reader.fatal([], 'A command or a url is missing.')
}

/** Why the address is invalid; if it contains `${VAR}`, this is known only after the variables are expanded. */
export function urlProblem(url: string): string | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  if (url.includes('${') && (scheme === undefined || scheme === 'http' || scheme === 'https')) return undefined
  if (!URL.canParse(url)) return 'must be a whole address, like https://example.com/mcp.'
  const { protocol, username, password } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return 'must begin with http:// or https://.'
  if (username + password !== '') return 'must not have a name or password in it: use headers.'
  return portProblem(url)
}
