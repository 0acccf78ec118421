import type { ServerTool } from '../../tool/tool'
import { topicsOf } from './synonyms'
import { plainStem, splitWords, stem, contentWords } from './stemming'

/** The words of a searchable item, by field. */
type Fields<Name extends string> = Readonly<Record<Name, readonly string[]>>

/** The weight of a word in each item that contains it, by the item's index. */
export type Scores = ReadonlyMap<number, number>

export interface WordIndex {
  /** The BM25 weights; empty for an unknown word. Rare words weigh more, limited by `mostIdf`. */
  scoresOf(word: string, mostIdf?: number): Scores
  has(word: string): boolean
  idfOf(word: string): number
  /** Every word, without duplicates. */
  words: readonly string[]
}

/** Saturation of term frequency, and influence of the field length. */
const K = 1.5
const B = 0.5

/**
 * An index for ranking by BM25 over several fields (BM25F: fields are weighted before term frequency is saturated).
 * `addedField` does not count toward the document frequency, because its words are our own addition.
 */
export function createWordIndex<Name extends string>(
  things: readonly Fields<Name>[],
  weights: Readonly<Record<Name, number>>,
  addedField: Name,
): WordIndex {
  const names = Object.keys(weights) as Name[]
  const averageLength = new Map(
    names.map((name) => [
      name,
      Math.max(1, things.reduce((sum, thing) => sum + thing[name].length, 0) / things.length),
    ]),
  )
  const found = new Map<string, Map<number, number>>()
  const own = new Map<string, Set<number>>()
  for (const [place, thing] of things.entries()) {
    for (const name of names) {
      const length = 1 - B + (B * thing[name].length) / averageLength.get(name)!
      for (const word of thing[name]) {
        const places = found.get(word) ?? new Map<number, number>()
        found.set(word, places.set(place, (places.get(place) ?? 0) + weights[name] / length))
        if (name !== addedField) own.set(word, (own.get(word) ?? new Set()).add(place))
      }
    }
  }
  const idfOf = (word: string): number => {
    const count = own.get(word)?.size ?? found.get(word)?.size ?? 0
    return Math.log(1 + (things.length - count + 0.5) / (count + 0.5))
  }
  const known = new Map<string, Scores>()
  const none: Scores = new Map()
  return {
    words: [...found.keys()],
    has: (word) => found.has(word),
    idfOf,
    scoresOf(word, mostIdf = Infinity) {
      const places = found.get(word)
      if (!places) return none
      const key = `${word} ${mostIdf}`
      const before = known.get(key)
      if (before) return before
      const idf = Math.min(idfOf(word), mostIdf)
      const scores = new Map([...places].map(([place, count]) => [place, (idf * count * (K + 1)) / (K + count)]))
      known.set(key, scores)
      return scores
    },
  }
}

/** The searchable fields of a tool, and their weights. `topics` are what we know about its server. */
export const WEIGHTS = {
  name: 2.5,
  joined: 2,
  server: 2,
  description: 1.2,
  parameters: 0.3,
  parameterText: 0.3,
  topics: 0.8,
}
export type Field = keyof typeof WEIGHTS

/** The words of a tool. */
export function fieldsOf({ server, description, schema }: ServerTool): Fields<Field> {
  const name = splitWords(server.tool)
  const plain = name.map(plainStem)
  const parameters = parametersOf(schema)
  const ofServer = contentWords(server.name)
  return {
    name: name.map(stem),
    // Adjacent words are also joined: "config map" finds `configmap`, and vice versa.
    joined: plain.slice(1).map((word, place) => plain[place]! + word),
    server: ofServer.map(stem),
    description: stems(description),
    parameters: stems(parameters.map(([key]) => key).join(' ')),
    parameterText: stems(parameters.map(([, text]) => text).join(' ')),
    topics: topicsOf([...ofServer, ...name.slice(0, 1)]),
  }
}

function stems(text: string): string[] {
  return contentWords(text).map(stem)
}

/** Names and descriptions of the parameters, if the schema has them in simple form. */
function parametersOf(schema: Readonly<Record<string, unknown>>): [string, string][] {
  const properties: unknown = schema['properties']
  if (typeof properties !== 'object' || properties === null) return []
  return Object.entries(properties).map(([name, property]) => {
    const text: unknown =
      typeof property === 'object' && property !== null && 'description' in property ? property.description : undefined
    const choices: unknown =
      typeof property === 'object' && property !== null && 'enum' in property ? property.enum : undefined
    return [
      name,
      [text, ...(Array.isArray(choices) ? choices : [])].filter((each) => typeof each === 'string').join(' '),
    ]
  })
}

/** The weight of a word found through a typo correction. */
const TYPO_WEIGHT = 0.6

/**
 * Words that an unknown word may be a typo of: one edit away, or two in a word of more than five letters; the first
 * letter must match.
 */
export function similarWords(said: string, words: Iterable<string>): [string, number][] {
  const most = said.length > 5 ? 2 : 1
  const near: [string, number][] = []
  for (const word of words) {
    if (word[0] !== said[0] || word.length < 4 || Math.abs(word.length - said.length) > most) continue
    if (editDistance(said, word) <= most) near.push([word, TYPO_WEIGHT])
  }
  return near
}

/** The number of inserted, deleted, replaced or swapped letters. */
function editDistance(a: string, b: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, column) => column)]
  for (let line = 1; line <= a.length; line++) {
    const next = [line]
    for (let column = 1; column <= b.length; column++) {
      const other = row[column - 1]! + (a[line - 1] === b[column - 1] ? 0 : 1)
      const swapped =
        line > 1 && column > 1 && a[line - 1] === b[column - 2] && a[line - 2] === b[column - 1]
          ? before[column - 2]! + 1
          : Infinity
      next.push(Math.min(row[column]! + 1, next[column - 1]! + 1, other, swapped))
    }
    ;[before, row] = [row, next]
  }
  return row[b.length]!
}
