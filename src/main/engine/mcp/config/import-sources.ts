import { join } from 'node:path'
import { parseJson, valueOf } from '../../config/json/parse-json'
import { parseToml } from '../../config/toml/parse-toml'
import { isRecord } from '../../../../shared/json-fields'

/** A server of another product, with its fields renamed to the names that are read here. */
export interface FoundServer {
  name: string
  raw: unknown
  /** The project it is for, if a file has servers of several projects. */
  folder?: string
  notes: string[]
}

/** A value that VS Code asks for. */
export interface ImportInput {
  id: string
  label: string
  isSecret: boolean
  /** The default when nothing is entered. */
  fallback?: string
}

export interface FoundImport {
  servers: FoundServer[]
  inputs: ImportInput[]
  problems: string[]
}

const NOTHING: FoundImport = { servers: [], inputs: [], problems: [] }

/** The servers in a file of another product. Never fails. */
export function readImport(text: string, format: ImportFormat): FoundImport {
  const read = format === 'codex' ? tomlValue(text) : jsonValue(text)
  if ('problem' in read) return { ...NOTHING, problems: [read.problem] }
  const { value } = read
  if (!isRecord(value)) return { ...NOTHING, problems: ['This is not an object.'] }
  switch (format) {
    case 'codex':
      return { ...NOTHING, servers: serversIn(value['mcp_servers'], codexServer) }
    case 'vscode': {
      const holder = isRecord(value['mcp']) ? value['mcp'] : value
      return { ...NOTHING, servers: serversIn(holder['servers']), inputs: inputsIn(holder['inputs']) }
    }
    case 'claude-code': {
      const projects = isRecord(value['projects']) ? Object.entries(value['projects']) : []
      const local = projects.flatMap(([folder, project]) =>
        isRecord(project) ? serversIn(project['mcpServers']).map((server) => ({ ...server, folder })) : [],
      )
      return { ...NOTHING, servers: [...serversIn(value['mcpServers']), ...local] }
    }
    default:
      return { ...NOTHING, servers: serversIn(value['mcpServers']) }
  }
}

/** The same for pasted text, in any of these forms, or part of such a file, or a single server. */
export function readPasted(text: string): FoundImport {
  const toml = /^\s*\[\s*mcp_servers\s*\./m.test(text)
  if (toml) return readImport(text, 'codex')
  const whole = jsonValue(text)
  // A member copied from the middle of a file.
  const read = 'problem' in whole && /^\s*"/.test(text) ? jsonValue(`{${text}}`) : whole
  if ('problem' in read) return { ...NOTHING, problems: [read.problem] }
  const { value } = read
  if (!isRecord(value)) return { ...NOTHING, problems: ['Paste an object with "mcpServers" in it, or its contents.'] }
  if (!isShallow(value)) return { ...NOTHING, problems: [TOO_DEEP] }
  const json = JSON.stringify(value)
  if (isRecord(value['mcpServers'])) return readImport(json, 'claude-code')
  if (isRecord(value['servers']) || isRecord(value['mcp'])) return readImport(json, 'vscode')
  if (isServer(value)) return { ...NOTHING, servers: [{ name: nameFor(value), raw: value, notes: [] }] }
  const servers = serversIn(value)
  if (servers.some(({ raw }) => isServer(raw))) return { ...NOTHING, servers }
  return { ...NOTHING, problems: ['There is no server in it: a server has a "command" or a "url".'] }
}

function serversIn(
  value: unknown,
  read: (raw: unknown) => { raw: unknown; notes: string[] } = (raw) => ({ raw, notes: [] }),
): FoundServer[] {
  if (!isRecord(value)) return []
  return Object.entries(value).map(([name, raw]) =>
    isShallow(raw) ? { name, ...read(raw) } : { name, raw: undefined, notes: [TOO_DEEP] },
  )
}

/** Deeper than any server. Code that visits every part of a value would overflow the stack with thousands of levels. */
const MAX_DEPTH = 64
const TOO_DEEP = `It is nested more than ${MAX_DEPTH} levels deep.`

function isShallow(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1))
}

function inputsIn(value: unknown): ImportInput[] {
  if (!Array.isArray(value)) return []
  return value.filter(isRecord).flatMap((input): ImportInput[] => {
    const { id, description, password, default: fallback } = input
    if (typeof id !== 'string') return []
    return [
      {
        id,
        label: typeof description === 'string' && description !== '' ? description : id,
        isSecret: password === true,
        ...(typeof fallback === 'string' && fallback !== '' && { fallback }),
      },
    ]
  })
}

function isServer(value: unknown): boolean {
  return isRecord(value) && ['command', 'url', 'httpUrl', 'serverUrl'].some((key) => typeof value[key] === 'string')
}

/** For a server pasted without a name. */
function nameFor(raw: Readonly<Record<string, unknown>>): string {
  const { command, args, url } = raw
  if (typeof url === 'string' && URL.canParse(url))
    return new URL(url).hostname.replace(/^(?:www|mcp|api)\.|\.[a-z]+$/g, '') || 'server'
  const packageName = Array.isArray(args)
    ? args.find((arg): arg is string => typeof arg === 'string' && /^[@\w][\w@/.-]*$/.test(arg))
    : undefined
  const named = (packageName ?? (typeof command === 'string' ? command : '')).replace(/@[\d^~.]+$|@latest$/, '')
  const last = named.split(/[\\/]/).at(-1) ?? ''
  return last.replace(/^(?:mcp-server|server|mcp)-|-mcp(?:-server)?$|\.\w+$/g, '').replace(/[^\w-]/g, '-') || 'server'
}

function jsonValue(text: string): { value: unknown } | { problem: string } {
  try {
    // Such a file can be large and is usually strict JSON.
    return { value: JSON.parse(text) as unknown }
  } catch {
    const parsed = parseJson(text)
    return 'root' in parsed
      ? { value: valueOf(parsed.root) }
      : { problem: `line ${parsed.problem.line}: ${parsed.problem.message}` }
  }
}

function tomlValue(text: string): { value: unknown } | { problem: string } {
  const parsed = parseToml(text, '')
  if ('table' in parsed) return { value: parsed.table }
  return { problem: `line ${parsed.problem.line ?? 1}: ${parsed.problem.message}` }
}

/** Codex's names for keys that have another name here. */
const RENAMED: Readonly<Record<string, string>> = {
  bearer_token_env_var: 'bearerTokenEnvVar',
  enabled_tools: 'enabledTools',
  disabled_tools: 'disabledTools',
}
/** Seconds in Codex, milliseconds here. */
const SECONDS: Readonly<Record<string, string>> = {
  startup_timeout_sec: 'startupTimeoutMs',
  tool_timeout_sec: 'toolTimeoutMs',
}

/** A `[mcp_servers.name]` table of Codex with the names that are read here. */
function codexServer(raw: unknown): { raw: unknown; notes: string[] } {
  if (!isRecord(raw)) return { raw, notes: [] }
  const {
    env,
    env_vars: passed,
    http_headers: headers,
    env_http_headers: envHeaders,
    startup_timeout_ms: startMs,
    scopes,
    ...others
  } = raw
  const notes: string[] = []
  const server: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(others)) {
    if (key === 'tools' || key === 'required' || key.includes('approval'))
      notes.push(`${key} is left out: your permission rules decide what may run without asking.`)
    else if (Object.hasOwn(SECONDS, key)) server[SECONDS[key]!] = typeof value === 'number' ? value * 1000 : value
    else server[Object.hasOwn(RENAMED, key) ? RENAMED[key]! : key] = value
  }
  if (startMs !== undefined) server['startupTimeoutMs'] = startMs
  const names = Array.isArray(passed) ? passed.map((one: unknown) => (isRecord(one) ? one['name'] : one)) : []
  const taken = names.filter((name): name is string => typeof name === 'string').map((name) => [name, `\${${name}}`])
  if (env !== undefined || taken.length > 0)
    server['env'] = { ...Object.fromEntries(taken), ...(isRecord(env) ? env : {}) }
  if (headers !== undefined || envHeaders !== undefined) {
    const named = isRecord(envHeaders)
      ? Object.entries(envHeaders).map(([name, variable]) => [name, `\${${String(variable)}}`])
      : []
    server['headers'] = { ...(isRecord(headers) ? headers : {}), ...Object.fromEntries(named) }
  }
  if (scopes !== undefined) server['oauth'] = { scopes }
  return { raw: server, notes }
}

/** A product's file format for servers. */
type ImportFormat = 'mcpServers' | 'claude-code' | 'vscode' | 'codex'

/** A file in which another product keeps servers. */
export interface ImportPlace {
  sourceId: string
  product: string
  file: string
  format: ImportFormat
  /** The project it belongs to. */
  folder?: string
}

export interface Machine {
  platform: NodeJS.Platform
  userHome: string
  env: Readonly<Record<string, string | undefined>>
}

/** Where other products keep their servers, for the user and in `folder`; without checking whether the files exist. */
export function importPlaces({ platform, userHome, env }: Machine, folder?: string): ImportPlace[] {
  const at = (...parts: string[]): string => join(userHome, ...parts)
  const appData =
    platform === 'darwin'
      ? at('Library', 'Application Support')
      : platform === 'win32'
        ? (env['APPDATA'] ?? at('AppData', 'Roaming'))
        : env['XDG_CONFIG_HOME'] || at('.config')
  const places: Omit<ImportPlace, 'sourceId'>[] = [
    { product: 'Claude Code', file: join(env['CLAUDE_CONFIG_DIR'] || userHome, '.claude.json'), format: 'claude-code' },
    { product: 'Claude Desktop', file: join(appData, 'Claude', 'claude_desktop_config.json'), format: 'mcpServers' },
    { product: 'Cursor', file: at('.cursor', 'mcp.json'), format: 'mcpServers' },
    ...['Code', 'Code - Insiders', 'VSCodium'].flatMap((name): Omit<ImportPlace, 'sourceId'>[] => {
      const product = name.startsWith('Code') ? name.replace('Code', 'VS Code') : name
      return ['mcp.json', 'settings.json'].map((file) => ({
        product,
        file: join(appData, name, 'User', file),
        format: 'vscode',
      }))
    }),
    { product: 'Codex', file: join(env['CODEX_HOME'] || at('.codex'), 'config.toml'), format: 'codex' },
    { product: 'Kimi Code', file: join(env['KIMI_CODE_HOME'] || at('.kimi-code'), 'mcp.json'), format: 'mcpServers' },
    { product: 'Kimi CLI', file: at('.kimi', 'mcp.json'), format: 'mcpServers' },
  ]
  if (folder !== undefined)
    places.push(
      { product: 'Cursor', file: join(folder, '.cursor', 'mcp.json'), format: 'mcpServers', folder },
      { product: 'VS Code', file: join(folder, '.vscode', 'mcp.json'), format: 'vscode', folder },
      { product: 'Codex', file: join(folder, '.codex', 'config.toml'), format: 'codex', folder },
      { product: 'Kimi Code', file: join(folder, '.kimi-code', 'mcp.json'), format: 'mcpServers', folder },
    )
  return places.map((place) => ({ ...place, sourceId: place.file }))
}
