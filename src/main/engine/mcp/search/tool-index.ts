import MiniSearch, { type SearchOptions } from 'minisearch'
import type { ServerTool } from '../../tool/server-tool'
import { isDoing, wordsLike } from './like-words'
import { queryWords } from './query-words'
import { splitWords, stem, tellingWords } from './tool-words'

/** What is searched of a tool. */
interface ToolText {
  index: number
  name: string
  /** Neighbouring words of the name as one: `configmap` is found by "config map", and the other way round. */
  joined: string
  server: string
  description: string
  parameters: string
  parameterText: string
}

const BOOST = { name: 3, joined: 2, server: 1.5, description: 2, parameters: 0.6, parameterText: 0.3 }
/** What a word counts that is not in the catalogue as it was asked for: one like it, one that begins with it, one that may be meant. */
const LIKE = 0.6
const BEGINNING = 0.7
const MISTYPED = 0.6
/** What a word counts that says what is to be done, not to what. */
const DOING = 0.85
/** Added for a tool in which all words of the query are found, and by the square of their share for others: in a catalogue of a few tools every word is common, so BM25 alone says little. */
const ALL_WORDS = 3

export interface ToolMatch {
  tool: ServerTool
  score: number
}

export interface ToolIndex {
  /** The best first; only those that score above `threshold`, and at most `limit`. */
  search(query: string, options: { limit: number; threshold: number }): ToolMatch[]
}

/** An index of tools for keyword search, by BM25 over their names, servers, descriptions and parameters. Takes about 20 ms for 400 tools. */
export function createToolIndex(tools: readonly ServerTool[]): ToolIndex {
  const index = new MiniSearch<ToolText>({
    idField: 'index',
    fields: Object.keys(BOOST),
    tokenize: (text) => text.split(' '),
    processTerm: (term) => (term === '' ? null : term),
  })
  index.addAll(tools.map(textOf))

  /** The score of each tool for one word. */
  function scoresOf(word: string, options: SearchOptions = {}): Map<number, number> {
    return new Map(index.search(word, { boost: BOOST, ...options }).map(({ id, score }) => [id as number, score]))
  }

  /** The score of each tool for one word of the query or what may be meant by it; the best counts, not the sum. */
  function scoresOfMeaning(word: string): Map<number, number> {
    const scores = scoresOf(word)
    if (word.length >= 4) raise(scores, scoresOf(word, { prefix: true, weights: { prefix: BEGINNING, fuzzy: 0 } }), 1)
    for (const like of wordsLike(word)) raise(scores, scoresOf(like), LIKE)
    if (scores.size === 0 && word.length >= 5) raise(scores, scoresOf(word, { fuzzy: 0.2, maxFuzzy: 2 }), MISTYPED)
    return scores
  }

  return {
    search(query, { limit, threshold }) {
      const words = queryWords(query)
      const total = new Map<number, number>()
      const found = new Map<number, number>()
      const all = words.reduce((sum, { weight }) => sum + weight, 0)
      for (const [place, { word, weight }] of words.entries()) {
        const scores = scoresOfMeaning(word)
        const next = words[place + 1]?.word
        if (next !== undefined) raise(scores, scoresOf(word + next), 1)
        for (const [id, score] of scores) {
          total.set(id, (total.get(id) ?? 0) + score * weight * (isDoing(word) ? DOING : 1))
          found.set(id, (found.get(id) ?? 0) + weight)
        }
      }
      return [...total]
        .map(([id, score]) => ({ id, score: score + ALL_WORDS * ((found.get(id) ?? 0) / all) ** 2 }))
        .filter(({ score }) => score > threshold)
        .toSorted((a, b) => b.score - a.score || a.id - b.id)
        .slice(0, limit)
        .map(({ id, score }) => ({ tool: tools[id]!, score }))
    },
  }
}

function raise(scores: Map<number, number>, others: ReadonlyMap<number, number>, weight: number): void {
  for (const [id, score] of others) scores.set(id, Math.max(scores.get(id) ?? 0, score * weight))
}

function textOf({ server, description, schema }: ServerTool, index: number): ToolText {
  const words = splitWords(server.tool).map(stem)
  const parameters = parametersOf(schema)
  return {
    index,
    name: words.join(' '),
    joined: words
      .slice(1)
      .map((word, place) => words[place]! + word)
      .join(' '),
    server: stems(server.name),
    description: stems(description),
    parameters: stems(parameters.map(([key]) => key).join(' ')),
    parameterText: stems(parameters.map(([, text]) => text).join(' ')),
  }
}

function stems(text: string): string {
  return tellingWords(text).map(stem).join(' ')
}

/** Names and descriptions of the parameters, as far as the schema says them plainly. */
function parametersOf(schema: Readonly<Record<string, unknown>>): [string, string][] {
  const properties: unknown = schema['properties']
  if (typeof properties !== 'object' || properties === null) return []
  return Object.entries(properties).map(([name, property]) => {
    const text: unknown = typeof property === 'object' && property !== null && 'description' in property ? property.description : undefined
    return [name, typeof text === 'string' ? text : '']
  })
}
