import { readFileSync } from 'node:fs'
import { join } from 'node:path'

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

/** A tool as its server lists it. */
export interface CatalogueTool {
  name: string
  description: string
  inputSchema: { type: 'object'; properties: Record<string, object>; required?: string[]; additionalProperties: false }
}

/** A request in plain language, and the ids of the tools it can mean, as `tool_search` writes them. */
export interface CatalogueRequest {
  request: string
  meant: string[]
}

/** The forty tools of a server in `tool-catalogue/`. */
export function catalogueTools(server: string): CatalogueTool[] {
  const [head = '', body = ''] = readFileSync(join(FOLDER, `${server}.txt`), 'utf8').split(/^---$/m)
  const known = new Map(
    lines(head).map((line) => {
      const [, name = '', type = '', description = ''] = /^(\S+) (enum\(.*?\)|\S+) (.*)$/.exec(line) ?? []
      return [name, propertyOf(type, description)]
    }),
  )
  return lines(body).map((line) => toolOf(line, known))
}

/**
 * One hundred requests written before any ranking, more written later that showed its weaknesses, or some by an author
 * who saw the names of the tools but none of the word lists. Only the last ones may be used to evaluate a list, and no
 * list may be changed because of them.
 */
export function catalogueRequests(
  file: 'requests' | 'more-requests' | 'unseen-requests' = 'requests',
): CatalogueRequest[] {
  return lines(readFileSync(join(FOLDER, `${file}.tsv`), 'utf8')).map((line) => {
    const [request = '', meant = ''] = line.split('\t')
    return { request, meant: meant.split('|') }
  })
}

function toolOf(line: string, known: ReadonlyMap<string, object>): CatalogueTool {
  const [name = '', description = '', parameters = ''] = line
    .split(' | ')
    .map((part) => part.trim().replace(/ \|$/, ''))
  const properties: Record<string, object> = {}
  const required: string[] = []
  for (const parameter of parameters.split('; ').filter((text) => text !== '')) {
    const [, key = '', optional, type, words = ''] =
      /^(\w+)(\?)?(?::(enum\(.*?\)|[\w[\]]+):(.*))?$/.exec(parameter) ?? []
    const property = type === undefined ? known.get(key) : propertyOf(type, words)
    if (!property) throw new Error(`${name} has a parameter "${parameter}" that nothing describes`)
    properties[key] = property
    if (optional === undefined) required.push(key)
  }
  return {
    name,
    description,
    inputSchema: { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false },
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
