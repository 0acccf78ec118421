import type { ServerTool } from '../../tool/tool'
import { fitsIntent, intentOfRequest, intentOfTool, type Intent, queryWords, type QueryWord } from './query-words'
import { isActionWord, isGenericVerb, isDictionaryWord, isLightVerb, isQuestionWord, synonymsOf } from './synonyms'
import { similarWords, fieldsOf, WEIGHTS, createWordIndex } from './bm25-index'
import { splitWords, stem } from './stemming'

/**
 * Maximum weight of words for an action, and of words that go with anything: that few tools are called `open` says
 * nothing about what they open.
 */
const MAX_ACTION_IDF = 2.8
const GENERIC_IDF = 2.3
const LIGHT_IDF = 1
/** The weight of a word that starts with the query's word. */
const PREFIX_WEIGHT = 0.85
/** The share of the second-best match of a word that is added. */
const SECOND_MATCH_SHARE = 0.3
/** The weight of a tool's word that another query word has already matched. */
const REPEATED_WEIGHT = 0.25
/** Factors for a tool with a matching intent, and for a tool with a different one. */
const SAME_INTENT = 1.15
const OTHER_INTENT = 0.9
/** Factor for other servers' tools when a server is named. */
const OTHER_SERVER = 0.7
/** Bonus for a tool whose entire name was matched. */
const NAME_BONUS = 0.4
const NAME_IDF = 4
/**
 * Added for a tool that matches all words of the query, and by the square of their share for others: in a catalog of a
 * few tools, every word is common, so BM25 alone is not enough.
 */
const ALL_WORDS = 5

export interface ToolMatch {
  tool: ServerTool
  score: number
}

export interface ToolIndex {
  /** Best first, at most `limit`; only those that score above `threshold`. */
  search(query: string, options: { limit: number; threshold: number }): ToolMatch[]
}

/** What a query word matched in a tool: the matched word and its weight. */
interface Found {
  word: string
  /** How well the matched word represents the query word. */
  weight: number
  /** Its weight, and its weight including the second-best match. */
  best: number
  score: number
}

/** What a query matched in a tool. */
interface Match {
  score: number
  /** How much of the query was matched. */
  share: number
  /** The matched words, with their weight and how well they represent the query. */
  words: Map<string, number>
  meant: Map<string, number>
}

/**
 * An index of tools for keyword search, by BM25 over their names, servers, descriptions and parameters. Creating it
 * takes about 30 ms for 400 tools.
 */
export function createToolIndex(tools: readonly ServerTool[]): ToolIndex {
  const index = createWordIndex(tools.map(fieldsOf), WEIGHTS, 'topics')
  const serverWords = tools.map(({ server }) => splitWords(server.name).map(stem))
  const nameWords = tools.map(({ server }, place) => {
    const words = [...new Set(splitWords(server.tool).map(stem))].filter((word) => !serverWords[place]!.includes(word))
    return words.map((word) => [word, Math.min(index.idfOf(word), mostIdf('', word), NAME_IDF)] as const)
  })
  const intents = tools.map(({ server, description }) => intentOfTool(server.tool, description))

  /** The best match of one query word or its alternatives, by tool index. */
  function meant(
    { word: said, plain, isName, meaning }: QueryWord,
    previous: string | undefined,
    next: string | undefined,
  ): Map<number, Found> {
    const best = new Map<number, Found>()
    const joined = [next ? plain + next : '', previous ? previous + plain : '']
    const words = meaning ? alike(meaning) : isName ? alike([said]) : meanings(said, joined)
    for (const [word, weight] of words) {
      for (const [place, score] of index.scoresOf(word, mostIdf(said, word))) {
        const counts = score * weight
        const before = best.get(place)
        const more = SECOND_MATCH_SHARE * Math.min(counts, before?.best ?? 0)
        if (!before || counts > before.best) best.set(place, { word, weight, best: counts, score: counts + more })
        else before.score = Math.max(before.score, before.best + more)
      }
    }
    return best
  }

  /** Words of the catalog that a query word may stand for, with their weight. */
  function meanings(said: string, joined: readonly string[]): Map<string, number> {
    const words = new Map<string, number>()
    if (!isQuestionWord(said)) words.set(said, 1)
    for (const word of joined) words.set(word, 1)
    if (said.length >= 4 && !isDictionaryWord(said))
      for (const word of index.words) if (word !== said && word.startsWith(said)) words.set(word, PREFIX_WEIGHT)
    for (const [word, weight] of synonymsOf(said)) words.set(word, Math.max(words.get(word) ?? 0, weight))
    if (said.length >= 5 && ![...words.keys()].some((word) => index.has(word)))
      for (const [word, weight] of similarWords(said, index.words)) words.set(word, weight)
    return words
  }

  /** How much of a tool's name was matched, from 0 to 1. */
  function namedBy(place: number, found: ReadonlyMap<string, number>): number {
    let [all, meantOf] = [0, 0]
    for (const [word, rarity] of nameWords[place]!) {
      all += rarity
      meantOf += rarity * (found.get(word) ?? 0)
    }
    return all === 0 ? 0 : meantOf / all
  }

  function scoreOf(place: number, { score, share, meant: found }: Match, intent: Intent | undefined): number {
    return (score + ALL_WORDS * share ** 2) * (1 + NAME_BONUS * namedBy(place, found)) * fit(intent, intents[place])
  }

  /**
   * The tools of a product, such as `jira` of `atlassian`: it is named by a word outside the vocabulary that occurs in
   * the names of several tools, all of one server.
   */
  function productOf(word: string): Set<number> | undefined {
    const places = [...index.scoresOf(word).keys()].filter((place) => nameWords[place]!.some(([each]) => each === word))
    return places.length >= 3 && new Set(places.map((place) => tools[place]!.server.name)).size === 1
      ? new Set(places)
      : undefined
  }

  /** The tools whose server or product a query names, using words that have no other meaning. */
  function toolsNamed(said: readonly QueryWord[]): Set<number> {
    const words = new Set(said.filter(({ word }) => !isDictionaryWord(word)).map(({ word }) => word))
    const named = (place: number): boolean =>
      serverWords[place]!.some((word) => [...words].some((name) => isSame(name, word)))
    const products = [...words].map(productOf)
    return new Set(
      tools.flatMap((_, place) => (named(place) || products.some((places) => places?.has(place)) ? place : [])),
    )
  }

  return {
    search(query, { limit, threshold }) {
      const said = queryWords(query)
      const intent = intentOfRequest(query, said)
      const all =
        said.reduce((sum, { word, weight, meaning }) => sum + (meaning ? 0 : weight * tellingOf(word)), 0) || 1
      const matches = new Map<number, Match>()
      const named = toolsNamed(said)
      for (const [nth, asked] of said.entries()) {
        const { word, weight } = asked
        for (const [place, found] of meant(asked, said[nth - 1]?.plain, said[nth + 1]?.plain)) {
          const match = matches.get(place) ?? {
            score: 0,
            share: 0,
            words: new Map<string, number>(),
            meant: new Map<string, number>(),
          }
          const before = match.words.get(found.word) ?? 0
          const counts = found.score * weight
          match.score += Math.max(0, counts - before) + REPEATED_WEIGHT * Math.min(counts, before)
          match.words.set(found.word, Math.max(counts, before))
          match.meant.set(found.word, Math.max(match.meant.get(found.word) ?? 0, found.weight * weight))
          match.share = Math.min(1, match.share + (weight * tellingOf(word)) / all)
          matches.set(place, match)
        }
      }
      return [...matches]
        .map(([place, match]) => ({
          place,
          score: scoreOf(place, match, intent) * (named.size === 0 || named.has(place) ? 1 : OTHER_SERVER),
        }))
        .filter(({ score }) => score > threshold)
        .toSorted((a, b) => b.score - a.score || a.place - b.place)
        .slice(0, limit)
        .map(({ place, score }) => ({ tool: tools[place]!, score }))
    },
  }
}

const alike = (words: readonly string[]): Map<string, number> => new Map(words.map((word) => [word, 1]))

/** Whether a name matches a server's: `elastic` means `elasticsearch`. */
function isSame(name: string, ofServer: string): boolean {
  return (
    name === ofServer ||
    (name.length >= 5 && ofServer.startsWith(name)) ||
    (ofServer.length >= 5 && name.startsWith(ofServer))
  )
}

/** How well the intents of tool and query match; neutral when either is unknown. */
function fit(asked: Intent | undefined, done: Intent | undefined): number {
  if (asked === undefined || done === undefined) return 1
  const fits = fitsIntent(asked, done)
  return fits === 'yes' ? SAME_INTENT : fits === 'no' ? OTHER_INTENT : 1
}

function mostIdf(said: string, word: string): number {
  if (isLightVerb(said)) return LIGHT_IDF
  return isGenericVerb(word) ? GENERIC_IDF : isActionWord(word) ? MAX_ACTION_IDF : Infinity
}

function tellingOf(word: string): number {
  return isLightVerb(word) ? 0.3 : isActionWord(word) ? 0.7 : 1
}
