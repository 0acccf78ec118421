import { type McpResource, commandName } from '../../../../shared/configuration/mcp-content'
import { askServer, type ContentServer, type OfferedTemplate } from './content-server'

/**
 * Resources that match the text after an `@`, best first: `server:` limits them to that server, which is then also
 * asked for template values.
 */
export async function findResources(
  servers: readonly ContentServer[],
  query: string,
  limit: number,
): Promise<McpResource[]> {
  const colon = query.indexOf(':')
  const named = colon > 0 ? servers.find(({ name }) => commandName(name) === query.slice(0, colon)) : undefined
  if (!named) {
    const all = servers.flatMap((server) =>
      (server.known()?.resources ?? []).map((one) => ({ server: server.name, ...one })),
    )
    return ranked(all, query).slice(0, limit)
  }
  const wanted = query.slice(colon + 1)
  const { resources, templates } = await named.offer()
  const listed = ranked(
    resources.map((one) => ({ server: named.name, ...one })),
    wanted,
  )
  const made = await Promise.all(templates.map((template) => fromTemplate(named, template, wanted)))
  const seen = new Set(listed.map(({ uri }) => uri))
  return [...listed, ...made.flat().filter(({ uri }) => !seen.has(uri))].slice(0, limit)
}

function ranked(resources: readonly McpResource[], query: string): McpResource[] {
  const wanted = query.toLowerCase()
  const rank = ({ server, uri, name, title = '' }: McpResource): number => {
    if (wanted === '') return 1
    const texts = [uri, name, title].map((text) => text.toLowerCase())
    if (texts.some((text) => text.startsWith(wanted))) return 0
    if (texts.some((text) => text.includes(wanted))) return 1
    return commandName(server).toLowerCase().startsWith(wanted) ? 2 : 3
  }
  return resources
    .map((resource) => ({ resource, rank: rank(resource) }))
    .filter((entry) => entry.rank < 3)
    .toSorted((a, b) => a.rank - b.rank)
    .map((entry) => entry.resource)
}

/**
 * Addresses that a template makes and that start with the given text; where its variable comes next, the server is
 * asked for values.
 */
async function fromTemplate(server: ContentServer, template: OfferedTemplate, wanted: string): Promise<McpResource[]> {
  const at = variableAt(template.uri, wanted)
  if (!at) return []
  const { head, variable, value, tail, given } = at
  const values = await completeValue(server, { type: 'ref/resource', uri: template.uri }, variable, value, given).catch(
    () => [],
  )
  const uris = values.map((one) => `${head}${one}${tail}`)
  // Without values of the server, the text itself may be one; without text, the fixed beginning is offered.
  if (uris.length === 0 && value !== '') uris.push(`${head}${value}${tail}`)
  if (uris.length === 0) return [{ server: server.name, ...template, uri: head, isOpen: true }]
  return uris.map((uri): McpResource => {
    const open = uri.indexOf('{')
    return { server: server.name, ...template, ...(open < 0 ? { uri } : { uri: uri.slice(0, open), isOpen: true }) }
  })
}

/**
 * Which variable of a template is at the end of `wanted`, with the text before and after it. Only simple variables,
 * `{name}`, are supported.
 */
export function variableAt(
  template: string,
  wanted: string,
): { head: string; variable: string; value: string; tail: string; given: Record<string, string> } | undefined {
  const pieces = template.split(/(\{[^{}]+\})/)
  const given: Record<string, string> = {}
  let head = ''
  let rest = wanted
  for (let index = 0; index < pieces.length; index += 2) {
    const fixed = pieces[index] ?? ''
    if (!rest.startsWith(fixed)) {
      // Still within the common beginning of the template's addresses.
      if (!fixed.startsWith(rest)) return undefined
      rest = ''
    } else rest = rest.slice(fixed.length)
    head += fixed
    const variable = /^\{([\w.]+)\}$/.exec(pieces[index + 1] ?? '')?.[1]
    if (variable === undefined) return undefined
    const next = pieces[index + 2] ?? ''
    const end = next === '' ? -1 : rest.indexOf(next)
    if (end < 0) return { head, variable, value: rest, tail: pieces.slice(index + 2).join(''), given }
    given[variable] = rest.slice(0, end)
    head += given[variable]
    rest = rest.slice(end)
  }
  return undefined
}

const MAX_VALUES = 100

/** Values that a server suggests for an argument; empty when it suggests nothing. */
export async function completeValue(
  server: ContentServer,
  ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string },
  argument: string,
  value: string,
  given: Readonly<Record<string, string>>,
): Promise<string[]> {
  const completes = await server.use(async ({ capabilities }) => capabilities.completions !== undefined)
  if (!completes) return []
  const answer = await askServer(server, 'completion/complete', {
    ref,
    argument: { name: argument, value },
    context: { arguments: given },
  })
  const { values } = (answer['completion'] ?? {}) as { values?: unknown }
  if (!Array.isArray(values)) return []
  return values
    .filter((one) => typeof one === 'string' && one !== '' && one.length <= 500 && !/\p{Cc}/u.test(one))
    .slice(0, MAX_VALUES)
}
