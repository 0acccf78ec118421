import { isDoing, isLight } from './like-words'
import { PHRASES } from './phrases'
import { plainStem, splitWords, stem, tellingWords } from './tool-words'
import { allStems, waysIn } from './ways-to-say'

/** What follows these says more of the matter, not of what is to be done with it. */
const ASIDE = /^(?:about|because|called|named|titled|saying|says|so|that|since)$/
const ASIDE_WEIGHT = 0.5
/** What follows these, once it was said what is meant, says where it is, or whose. */
const FURTHER = /^(?:to|from|for|on|in|into|onto|of|with|by|at|under|over|as|than|instead|until|after|before|which|whose)$/
const FURTHER_WEIGHT = 0.9
/** Who asks for something says first what: each further word weighs less, down to `LEAST`. */
const DECAY = 0.03
const LEAST = 0.6

/** What words weigh that are meant by several together. */
const WAY = 1
/** What is to be done something to is named first. */
const FIRST = 1.2

/** A word of a query, as a stem, with what it weighs: at most 1. */
export interface QueryWord {
  word: string
  /** The word as it is written, to be joined with its neighbour. */
  plain: string
  weight: number
  /** Written like a name in the middle of a sentence: it is meant as it is, and nothing like it. */
  isName: boolean
  /** Where several words say it together, the words that are looked for instead. */
  meaning?: readonly string[]
}

/** The words that a query looks for, each once. */
export function queryWords(query: string): QueryWord[] {
  const names = namesIn(query)
  const text = PHRASES.reduce((changed, [phrase, meaning]) => changed.replace(phrase, meaning), withBrands(query))
  const telling = new Set(tellingWords(text))
  const words = new Map<string, QueryWord>()
  let [aside, further, objects] = [1, 1, 0]
  for (const said of splitWords(text)) {
    if (words.size > 1 && ASIDE.test(said)) aside = ASIDE_WEIGHT
    if (objects > 0 && FURTHER.test(said)) further = FURTHER_WEIGHT
    const word = stem(said)
    if (!telling.has(said) || words.has(word)) continue
    const isName = names.has(said)
    const isObject = !isName && !isDoing(word) && !isLight(word)
    const first = isObject && objects === 0 ? FIRST : 1
    words.set(word, { word, plain: plainStem(said), weight: Math.max(LEAST, 1 - DECAY * words.size) * aside * further * first, isName })
    if (isObject) objects++
  }
  return withWays(query, [...words.values()])
}

/** With what is meant by several words together: of such words those that say little by themselves are left out. */
function withWays(query: string, words: readonly QueryWord[]): QueryWord[] {
  const stems = allStems(withoutQuotes(query))
  const ways = waysIn(stems)
  const taken = new Set(ways.flatMap(({ places }) => places.map((place) => stems[place]!)))
  const rest = words.filter(({ word }) => !taken.has(word) || !(isLight(word) || isDoing(word)))
  const meant = new Map(ways.map(({ meaning }) => [meaning.join(' '), meaning]))
  return [...rest, ...[...meant].map(([word, meaning]) => ({ word, plain: '', weight: WAY, isName: false, meaning }))]
}

function withoutQuotes(query: string): string {
  return query.replaceAll(/(?<!\p{L})["“”„][^"“”„]{1,200}["“”]/gu, ' ')
}

/** `YouTube` and `arXiv` are one word, `readFile` is two: both ways are tried. */
function withBrands(query: string): string {
  return query.replaceAll(/[\p{L}\p{N}]*\p{Ll}\p{Lu}[\p{L}\p{N}]*/gu, (word) => `${word.toLowerCase()} ${word}`)
}

/** Words with a capital first letter that do not begin a sentence. */
function namesIn(query: string): Set<string> {
  return new Set([...query.matchAll(/(?<=[\p{L}\p{N},;:] )\p{Lu}\p{Ll}+/gu)].flatMap(([name]) => splitWords(name)))
}
