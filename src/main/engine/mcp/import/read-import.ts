import { parseJson, valueOf } from '../../config/json/parse-json'
import { parseToml } from '../../config/toml/parse-toml'
import { isRecord } from '../config/definition-reader'
import { codexServer } from './codex-server'
import type { ImportFormat } from './import-places'

/** A server as another product has it, with its fields under names that are read here. */
export interface FoundServer {
  name: string
  raw: unknown
  /** The project it is for, where a file has servers of several. */
  folder?: string
  notes: string[]
}

/** A value that VS Code asks for. */
export interface AskedInput {
  id: string
  label: string
  isSecret: boolean
  /** What counts when nothing is typed. */
  fallback?: string
}

export interface FoundImport {
  servers: FoundServer[]
  inputs: AskedInput[]
  problems: string[]
}

const NOTHING: FoundImport = { servers: [], inputs: [], problems: [] }

/** The servers in a file of another product. Never fails. */
export function readImport(text: string, format: ImportFormat): FoundImport {
  const read = format === 'codex' ? tomlValue(text) : jsonValue(text)
  if ('problem' in read) return { ...NOTHING, problems: [read.problem] }
  const { value } = read
  if (!isRecord(value)) return { ...NOTHING, problems: ['This is no object.'] }
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

/** The same for pasted text, in any of these forms; also a part of such a file, or one server. */
export function readPasted(text: string): FoundImport {
  const toml = /^\s*\[\s*mcp_servers\s*\./m.test(text)
  if (toml) return readImport(text, 'codex')
  const whole = jsonValue(text)
  // A member copied out of the middle of a file.
  const read = 'problem' in whole && /^\s*"/.test(text) ? jsonValue(`{${text}}`) : whole
  if ('problem' in read) return { ...NOTHING, problems: [read.problem] }
  const { value } = read
  if (!isRecord(value)) return { ...NOTHING, problems: ['Paste an object with "mcpServers" in it, or what stands under it.'] }
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
  return isRecord(value) ? Object.entries(value).map(([name, raw]) => ({ name, ...read(raw) })) : []
}

function inputsIn(value: unknown): AskedInput[] {
  if (!Array.isArray(value)) return []
  return value.filter(isRecord).flatMap((input): AskedInput[] => {
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

/** For a server that was pasted without a name. */
function nameFor(raw: Readonly<Record<string, unknown>>): string {
  const { command, args, url } = raw
  if (typeof url === 'string' && URL.canParse(url)) return new URL(url).hostname.replace(/^(?:www|mcp|api)\.|\.[a-z]+$/g, '') || 'server'
  const packageName = Array.isArray(args)
    ? args.find((arg): arg is string => typeof arg === 'string' && /^[@\w][\w@/.-]*$/.test(arg))
    : undefined
  const named = (packageName ?? (typeof command === 'string' ? command : '')).replace(/@[\d^~.]+$|@latest$/, '')
  const last = named.split(/[\\/]/).at(-1) ?? ''
  return last.replace(/^(?:mcp-server|server|mcp)-|-mcp(?:-server)?$|\.\w+$/g, '').replace(/[^\w-]/g, '-') || 'server'
}

function jsonValue(text: string): { value: unknown } | { problem: string } {
  try {
    // Such a file can be large, and is mostly strict.
    return { value: JSON.parse(text) as unknown }
  } catch {
    const parsed = parseJson(text)
    return 'root' in parsed ? { value: valueOf(parsed.root) } : { problem: `line ${parsed.problem.line}: ${parsed.problem.message}` }
  }
}

function tomlValue(text: string): { value: unknown } | { problem: string } {
  const parsed = parseToml(text, '')
  if ('table' in parsed) return { value: parsed.table }
  return { problem: `line ${parsed.problem.line ?? 1}: ${parsed.problem.message}` }
}
