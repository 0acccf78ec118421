import MiniSearch, { type SearchOptions } from 'minisearch'
import type { ServerTool } from '../../tool/server-tool'
import { isDoing, isLight, wordsLike } from './like-words'
import { fitsIntent, intentOfRequest, intentOfTool, type Intent } from './intent'
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

const BM25 = { k: 0.4, b: 0.7, d: 0.5 }
const BOOST = { name: 3, joined: 1.5, server: 5, description: 2, parameters: 0.2, parameterText: 0.2 }
/** What a word counts that is not in the catalogue as it was asked for: one like it, one that begins with it, one that may be meant. */
const LIKE = 0.7
const BEGINNING = 0.7
const MISTYPED = 0.6
/** What a word counts that says what is to be done, not to what. */
const DOING = 0.85
const FITS = 1.15
const FITS_NOT = 0.8
const LIKE_DOING = 0.85
const LIGHT = 0.35
/** Added for a tool in which all words of the query are found, and by the square of their share for others: in a catalogue of a few tools every word is common, so BM25 alone says little. */
const ALL_WORDS = 10

/** By the place of the tool. */
type Scores = Map<number, number>

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
    searchOptions: { bm25: BM25 },
    tokenize: (text) => text.split(' '),
    processTerm: (term) => (term === '' ? null : term),
  })
  index.addAll(tools.map(textOf))

  const intents = tools.map(({ server, description }) => intentOfTool(server.tool, description))

  /** The score of each tool for one word. */
  function scoresOf(word: string, options: SearchOptions = {}): Scores {
    return new Map(index.search(word, { boost: BOOST, ...options }).map(({ id, score }) => [id as number, score]))
  }

  /** The score of each tool for one word of the query or what may be meant by it; the best counts, not the sum. */
  function scoresOfMeaning(word: string): Scores {
    const scores = scoresOf(word)
    if (word.length >= 4) raise(scores, scoresOf(word, { prefix: true, weights: { prefix: BEGINNING, fuzzy: 0 } }), 1)
    for (const like of wordsLike(word)) raise(scores, scoresOf(like), isDoing(word) ? LIKE_DOING : LIKE)
    if (scores.size === 0 && word.length >= 5) raise(scores, scoresOf(word, { fuzzy: word.length > 5 ? 2 : 1 }), MISTYPED)
    return scores
  }

  return {
    search(query, { limit, threshold }) {
      const said = queryWords(query)
      const intent = intentOfRequest(query, said)
      const words = said.map(({ word, weight }) => ({ word, weight: weight * tellingOf(word) }))
      const all = words.reduce((sum, { weight }) => sum + weight, 0)
      const total: Scores = new Map()
      const found: Scores = new Map()
      for (const [place, { word, weight }] of words.entries()) {
        const scores = scoresOfMeaning(word)
        const next = words[place + 1]?.word
        if (next !== undefined) raise(scores, scoresOf(word + next), 1)
        for (const [id, score] of scores) {
          total.set(id, (total.get(id) ?? 0) + score * weight)
          found.set(id, (found.get(id) ?? 0) + weight)
        }
      }
      return [...total]
        .map(([id, score]) => ({
          id,
          score: (score + ALL_WORDS * ((found.get(id) ?? 0) / all) ** 2) * fit(intent, intents[id]),
        }))
        .filter(({ score }) => score > threshold)
        .toSorted((a, b) => b.score - a.score || a.id - b.id)
        .slice(0, limit)
        .map(({ id, score }) => ({ tool: tools[id]!, score }))
    },
  }
}

/** How well what a tool does fits what is to be done; where either is not known nothing is said. */
function fit(asked: Intent | undefined, done: Intent | undefined): number {
  if (asked === undefined || done === undefined) return 1
  const fits = fitsIntent(asked, done)
  return fits === 'yes' ? FITS : fits === 'no' ? FITS_NOT : 1
}

function tellingOf(word: string): number {
  return isLight(word) ? LIGHT : isDoing(word) ? DOING : 1
}

function raise(scores: Scores, others: Scores, weight: number): void {
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
    const choices: unknown = typeof property === 'object' && property !== null && 'enum' in property ? property.enum : undefined
    return [name, [text, ...(Array.isArray(choices) ? choices : [])].filter((each) => typeof each === 'string').join(' ')]
  })
}
