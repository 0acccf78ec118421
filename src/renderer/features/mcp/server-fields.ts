import {
  MCP_SERVER_SANDBOXES,
  type McpServerInput,
  type McpServerSandbox,
  type McpTransport,
} from '../../../shared/configuration/customize/mcp'

/** A name with its value; `kept`: the existing value stays as long as nothing is typed. */
export interface KeyValue {
  id: number
  name: string
  value: string
  kept: boolean
}

/** A server as form fields: everything is text. */
export interface ServerFields {
  name: string
  transport: McpTransport
  command: string
  /** One per line. */
  args: string
  cwd: string
  env: KeyValue[]
  /** Undefined: the default for its scope. */
  sandbox?: McpServerSandbox
  url: string
  headers: KeyValue[]
  clientId: string
  scopes: string
  startSeconds: string
  callSeconds: string
}

export const NO_SERVER: ServerFields = {
  name: '',
  transport: 'stdio',
  command: '',
  args: '',
  cwd: '',
  env: [],
  url: '',
  headers: [],
  clientId: '',
  scopes: '',
  startSeconds: '30',
  callSeconds: '60',
}

let lastId = 0

export function newKeyValue(name = '', value: string | null = ''): KeyValue {
  lastId += 1
  return { id: lastId, name, value: value ?? '', kept: value === null }
}

/** The form of an existing server. */
export function fieldsOf(name: string, input: McpServerInput): ServerFields {
  const common = {
    ...NO_SERVER,
    name,
    startSeconds: String(input.startTimeoutMs / 1000),
    callSeconds: String(input.callTimeoutMs / 1000),
  }
  if (input.transport === 'stdio') {
    const { transport, command, args, env, cwd = '', sandbox } = input
    return { ...common, transport, command, args: args.join('\n'), env: pairsOf(env), cwd, ...(sandbox && { sandbox }) }
  }
  const { transport, url, headers, oauth } = input
  return {
    ...common,
    transport,
    url,
    headers: pairsOf(headers),
    clientId: oauth?.clientId ?? '',
    scopes: oauth?.scopes?.join(' ') ?? '',
  }
}

/** Validation errors, by field. */
export function fieldProblems(
  fields: ServerFields,
  taken: readonly string[],
): Partial<Record<keyof ServerFields, string>> {
  const problems: Partial<Record<keyof ServerFields, string>> = {}
  const name = fields.name.trim()
  if (name === '') problems.name = 'Enter a name'
  else if (taken.includes(name)) problems.name = 'A server with this name already exists'
  if (fields.transport === 'stdio') {
    if (fields.command.trim() === '') problems.command = 'Enter a command'
    if (hasTwice(fields.env)) problems.env = 'Each variable can be set only once'
    else if (fields.env.some((pair) => pair.name.trim() === '' && pair.value !== ''))
      problems.env = 'Enter a name for each value'
  } else {
    if (!/^https?:\/\/\S+$/i.test(fields.url.trim()) && !fields.url.includes('${'))
      problems.url = 'Enter a URL that begins with https:// or http://'
    if (hasTwice(fields.headers)) problems.headers = 'Each header can be set only once'
    else if (fields.headers.some((pair) => pair.name.trim() === '' && pair.value !== ''))
      problems.headers = 'Enter a name for each value'
  }
  for (const field of ['startSeconds', 'callSeconds'] as const) {
    const seconds = Number(fields[field])
    if (!(seconds >= 1 && seconds <= 3600)) problems[field] = 'From 1 to 3600 seconds'
  }
  return problems
}

/** The configuration to save; `before` supplies what the form does not show. */
export function inputOf(fields: ServerFields, before: McpServerInput | undefined): McpServerInput {
  const switches = {
    enabled: before?.enabled ?? true,
    disabledTools: before?.disabledTools ?? [],
    ...(before?.enabledTools && { enabledTools: before.enabledTools }),
    startTimeoutMs: Math.round(Number(fields.startSeconds) * 1000),
    callTimeoutMs: Math.round(Number(fields.callSeconds) * 1000),
  }
  if (fields.transport === 'stdio') {
    const cwd = fields.cwd.trim()
    const args = fields.args.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.replace(/\r$/, '')]))
    const { sandbox } = fields
    const command = fields.command.trim()
    return {
      ...switches,
      transport: 'stdio',
      command,
      args,
      env: valuesOf(fields.env),
      ...(cwd && { cwd }),
      ...(sandbox && { sandbox }),
    }
  }
  const others = { ...(before?.transport === 'stdio' ? undefined : before?.oauth) }
  delete others.clientId
  delete others.scopes
  const scopes = fields.scopes.split(/\s+/).filter(Boolean)
  const oauth = {
    ...others,
    ...(fields.clientId.trim() && { clientId: fields.clientId.trim() }),
    ...(scopes.length > 0 && { scopes }),
  }
  return {
    ...switches,
    transport: fields.transport,
    url: fields.url.trim(),
    headers: valuesOf(fields.headers),
    ...(Object.keys(oauth).length > 0 && { oauth }),
  }
}

/** The sandbox choices of a server by its scope; the first is the default. */
export function sandboxChoices(scope: 'user' | 'project'): readonly { value: McpServerSandbox; label: string }[] {
  const labels: Record<McpServerSandbox, string> = {
    project: 'Project sandbox, open network',
    'project-offline': 'Project sandbox, no network',
    unrestricted: 'Unrestricted',
  }
  const values =
    scope === 'project'
      ? MCP_SERVER_SANDBOXES.filter((value) => value !== 'unrestricted')
      : MCP_SERVER_SANDBOXES.toReversed()
  return values.map((value) => ({ value, label: labels[value] }))
}

/** Splits a full command line typed or pasted into the command field; quotes group words. */
export function splitCommand(line: string): { command: string; args: string[] } {
  const words = [...line.trim().matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']|["'])+/g)].map(([word]) =>
    word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_whole, double: string | undefined, single: string | undefined) =>
      double === undefined ? (single ?? '') : double.replace(/\\(["\\$`])/g, '$1'),
    ),
  )
  return { command: words[0] ?? '', args: words.slice(1) }
}

function pairsOf(values: Readonly<Record<string, string | null>>): KeyValue[] {
  return Object.entries(values).map(([name, value]) => newKeyValue(name, value))
}

function valuesOf(pairs: readonly KeyValue[]): Record<string, string | null> {
  const named = pairs.filter(({ name }) => name.trim() !== '')
  return Object.fromEntries(named.map(({ name, value, kept }) => [name.trim(), kept && value === '' ? null : value]))
}

function hasTwice(pairs: readonly KeyValue[]): boolean {
  const names = pairs.map(({ name }) => name.trim()).filter(Boolean)
  return new Set(names).size < names.length
}
