import type { ServerTool } from '../../tool/server-tool'
import { topicsOf } from './like-words'
import { plainStem, splitWords, stem, tellingWords } from './tool-words'
import type { Fields } from './word-index'

/** What is searched of a tool, and what a word counts there. `topics` is what we know of its server. */
export const WEIGHTS = { name: 2.5, joined: 2, server: 2, description: 1.2, parameters: 0.3, parameterText: 0.3, topics: 0.8 }
export type Field = keyof typeof WEIGHTS

/** The words of a tool. */
export function fieldsOf({ server, description, schema }: ServerTool): Fields<Field> {
  const name = splitWords(server.tool)
  const plain = name.map(plainStem)
  const parameters = parametersOf(schema)
  const ofServer = tellingWords(server.name)
  return {
    name: name.map(stem),
    // Neighbouring words as one: `configmap` is found by "config map", and the other way round.
    joined: plain.slice(1).map((word, place) => plain[place]! + word),
    server: ofServer.map(stem),
    description: stems(description),
    parameters: stems(parameters.map(([key]) => key).join(' ')),
    parameterText: stems(parameters.map(([, text]) => text).join(' ')),
    topics: topicsOf([...ofServer, ...name.slice(0, 1)]),
  }
}

function stems(text: string): string[] {
  return tellingWords(text).map(stem)
}

/** Names and descriptions of the parameters, as far as the schema says them plainly. */
function parametersOf(schema: Readonly<Record<string, unknown>>): [string, string][] {
  const properties: unknown = schema['properties']
  if (typeof properties !== 'object' || properties === null) return []
  return Object.entries(properties).map(([name, property]) => {
    const text: unknown = typeof property === 'object' && property !== null && 'description' in property ? property.description : undefined
    const choices: unknown = typeof property === 'object' && property !== null && 'enum' in property ? property.enum : undefined
    return [name, [text, ...(Array.isArray(choices) ? choices : [])].filter((each) => typeof each === 'string').join(' ')]
  })
}
