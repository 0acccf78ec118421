import products from '../../../../../resources/tool-search/known-products.txt?raw'
import doingWords from '../../../../../resources/tool-search/words-of-doing.txt?raw'
import fieldWords from '../../../../../resources/tool-search/words-of-fields.txt?raw'
import lifeWords from '../../../../../resources/tool-search/words-of-life.txt?raw'
import thingWords from '../../../../../resources/tool-search/words-of-things.txt?raw'
import { stem } from './stemming'

/** The weights of a similar word, and of a word that it leads to. */
const SYNONYM_WEIGHT = 0.6
const RELATED_WEIGHT = 0.45

const NONE: ReadonlyMap<string, number> = new Map()
const like = new Map<string, Map<string, number>>()
const things = readWords(`${thingWords}\n${lifeWords}\n${fieldWords}`)
const doing = new Set([...readWords(doingWords)].filter((word) => !things.has(word)))
const topics = readProducts()

/** Stems of words similar to this stem, with their weight: below 1. */
export function synonymsOf(stemmed: string): ReadonlyMap<string, number> {
  return like.get(stemmed) ?? NONE
}

/** Whether a word names an action rather than its object: many tools do the same to different things. */
export function isActionWord(stemmed: string): boolean {
  return doing.has(stemmed)
}

/**
 * Verbs and times that go with anything and mean little alone: to make it louder, to take a picture, to put something
 * aside.
 */
const LIGHT = new Set(
  (
    'make take give put get set go let turn keep come use know have see look ' +
    'show work happen bring way up down new all any first second other thing ' +
    'today tomorrow yesterday tonight monday tuesday wednesday thursday friday ' +
    'saturday sunday week month year day hour minute morning evening night ' +
    'which what who whose where when why how'
  )
    .split(' ')
    .map(stem),
)

/** Whether a word goes with almost any request. */
export function isLightVerb(stemmed: string): boolean {
  return LIGHT.has(stemmed)
}

const QUESTIONS = new Set('which what who whose where when why how'.split(' ').map(stem))

/** Whether a word is a question word: only the words it leads to are searched for. */
export function isQuestionWord(stemmed: string): boolean {
  return QUESTIONS.has(stemmed)
}

/** Verbs and quantity words that occur in the names of tools of every kind. */
const GENERIC = new Set(
  (
    'create add make get read show list search find update edit change set put ' +
    'delete remove send open run start stop give take save write check look view ' +
    'use manage new post patch retrieve fetch query close count total'
  )
    .split(' ')
    .map(stem),
)

/** Whether a verb occurs in the names of tools of every kind. */
export function isGenericVerb(stemmed: string): boolean {
  return GENERIC.has(stemmed)
}

/** Whether a word belongs to the known vocabulary, so that it is not a name. */
export function isDictionaryWord(stemmed: string): boolean {
  return like.has(stemmed) || isLightVerb(stemmed)
}

/** Topics of a server, as stems, if its name is that of a well-known product. */
export function topicsOf(words: readonly string[]): readonly string[] {
  return [...new Set(words.flatMap((word) => topics.get(word) ?? []))]
}

/** Records which words are similar and which lead to others; returns the known words. */
function readWords(text: string): Set<string> {
  const said = new Set<string>()
  for (const line of linesOf(text)) {
    const [group = [], others] = line.split(' > ').map((part) => part.split(' ').map(stem))
    for (const word of group) {
      said.add(word)
      for (const other of others ?? group) raise(word, other, others ? RELATED_WEIGHT : SYNONYM_WEIGHT)
    }
  }
  return said
}

function raise(word: string, other: string, weight: number): void {
  if (word === other) return
  const others = like.get(word) ?? new Map<string, number>()
  like.set(word, others.set(other, Math.max(others.get(other) ?? 0, weight)))
}

function readProducts(): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, string[]>()
  for (const line of linesOf(products)) {
    const [names = '', about = ''] = line.split(': ')
    for (const name of names.split(' ')) all.set(name, [...(all.get(name) ?? []), ...about.split(' ').map(stem)])
  }
  return all
}

function linesOf(raw: string): string[] {
  return raw.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}
