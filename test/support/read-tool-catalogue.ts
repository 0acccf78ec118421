import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { ServerTool } from '../../src/main/engine/tool/server-tool'
import { ok } from '../../src/main/engine/tool/tool'

const FOLDER = join(import.meta.dirname, 'tool-catalogue')
export const CATALOGUE_SERVERS = [
  'github',
  'slack',
  'atlassian',
  'filesystem',
  'postgres',
  'workspace',
  'kubernetes',
  'observability',
  'stripe',
  'browser',
] as const

/** A request in plain language, and the ids of the tools it can mean, as `tool_search` writes them. */
export interface CatalogueRequest {
  request: string
  meant: string[]
}

/** The tools of the servers in `tool-catalogue/`, as the hub would give them; a call says what it was called with. */
export function readToolCatalogue(servers: readonly string[] = CATALOGUE_SERVERS): ServerTool[] {
  return servers.flatMap((server) => {
    const [head = '', body = ''] = readFileSync(join(FOLDER, `${server}.txt`), 'utf8').split(/^---$/m)
    const known = new Map(
      lines(head).map((line) => {
        const [, name = '', type = '', description = ''] = /^(\S+) (enum\(.*?\)|\S+) (.*)$/.exec(line) ?? []
        return [name, propertyOf(type, description)]
      }),
    )
    return lines(body).map((line) => toolOf(server, line, known))
  })
}

export function readCatalogueRequests(): CatalogueRequest[] {
  return lines(readFileSync(join(FOLDER, 'requests.tsv'), 'utf8')).map((line) => {
    const [request = '', meant = ''] = line.split('\t')
    return { request, meant: meant.split('|') }
  })
}

function toolOf(server: string, line: string, known: ReadonlyMap<string, object>): ServerTool {
  const [name = '', description = '', parameters = ''] = line.split(' | ').map((part) => part.trim().replace(/ \|$/, ''))
  const properties: Record<string, object> = {}
  const required: string[] = []
  for (const parameter of parameters.split('; ').filter((text) => text !== '')) {
    const [, key = '', optional, type, words = ''] = /^(\w+)(\?)?(?::(enum\(.*?\)|[\w[\]]+):(.*))?$/.exec(parameter) ?? []
    const property = type === undefined ? known.get(key) : propertyOf(type, words)
    if (!property) throw new Error(`${server}: ${name} has a parameter "${parameter}" that nothing describes`)
    properties[key] = property
    if (optional === undefined) required.push(key)
  }
  return {
    name: `mcp__${server}__${name}`,
    description,
    input: z.looseObject({}),
    schema: { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false },
    server: { name: server, tool: name, saysDestructive: false },
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    prepare: async (input) => ({
      summary: name,
      accesses: [],
      run: async () => ok(`${name} was called with ${JSON.stringify(input)}`),
    }),
  }
}

function propertyOf(type: string, description: string): object {
  const choices = /^enum\((.*)\)$/.exec(type)?.[1]
  if (choices !== undefined) return { type: 'string', enum: choices.split(','), description }
  if (type.endsWith('[]')) return { type: 'array', items: { type: type.slice(0, -2) }, description }
  return { type, description }
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}
