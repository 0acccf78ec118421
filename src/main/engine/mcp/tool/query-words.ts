import { isActionWord, isLightVerb } from './synonyms'
import { PHRASES, allStems, phrasesIn } from './phrases'
import { plainStem, splitWords, stem, contentWords } from './stemming'

/** Words followed by details of the subject rather than what should be done with it. */
const ASIDE = /^(?:about|because|called|named|titled|saying|says|so|that|since)$/
const ASIDE_WEIGHT = 0.5
/** Words that, after the subject, introduce its location or owner. */
const FURTHER =
  /^(?:to|from|for|on|in|into|onto|of|with|by|at|under|over|as|than|instead|until|after|before|which|whose)$/
const FURTHER_WEIGHT = 0.9
/** The first words of a query matter most: each further word weighs less, down to `MIN_WEIGHT`. */
const DECAY = 0.03
const MIN_WEIGHT = 0.6

/** The weight of words that stand for a phrase. */
const PHRASE_WEIGHT = 1
/** The factor for the object of the action, which comes first. */
const OBJECT_FACTOR = 1.2

/** A word of a query, as a stem, with its weight: at most 1. */
export interface QueryWord {
  word: string
  /** The word as written, to be joined with its neighbor. */
  plain: string
  weight: number
  /** Written like a name in the middle of a sentence: only exact matches count. */
  isName: boolean
  /** For words of a phrase, the words to search for instead. */
  meaning?: readonly string[]
}

/** The words to search for, without duplicates. */
export function queryWords(query: string): QueryWord[] {
  const names = namesIn(query)
  const text = PHRASES.reduce((changed, [phrase, meaning]) => changed.replace(phrase, meaning), withBrands(query))
  const telling = new Set(contentWords(text))
  const words = new Map<string, QueryWord>()
  let [aside, further, objects] = [1, 1, 0]
  for (const said of splitWords(text)) {
    if (words.size > 1 && ASIDE.test(said)) aside = ASIDE_WEIGHT
    if (objects > 0 && FURTHER.test(said)) further = FURTHER_WEIGHT
    const word = stem(said)
    if (!telling.has(said) || words.has(word)) continue
    const isName = names.has(said)
    const isObject = !isName && !isActionWord(word) && !isLightVerb(word)
    const first = isObject && objects === 0 ? OBJECT_FACTOR : 1
    words.set(word, {
      word,
      plain: plainStem(said),
      weight: Math.max(MIN_WEIGHT, 1 - DECAY * words.size) * aside * further * first,
      isName,
    })
    if (isObject) objects++
  }
  return withPhrases(query, [...words.values()])
}

/** Applies phrases: their words are left out if they mean little alone. */
function withPhrases(query: string, words: readonly QueryWord[]): QueryWord[] {
  const stems = allStems(withoutQuotes(query))
  const ways = phrasesIn(stems)
  const taken = new Set(ways.flatMap(({ places }) => places.map((place) => stems[place]!)))
  const rest = words.filter(({ word }) => !taken.has(word) || !(isLightVerb(word) || isActionWord(word)))
  const meant = new Map(ways.map(({ meaning }) => [meaning.join(' '), meaning]))
  return [
    ...rest,
    ...[...meant].map(([word, meaning]) => ({ word, plain: '', weight: PHRASE_WEIGHT, isName: false, meaning })),
  ]
}

function withoutQuotes(query: string): string {
  return query.replaceAll(/(?<!\p{L})["“”„][^"“”„]{1,200}["“”]/gu, ' ')
}

/** `YouTube` and `arXiv` are one word, `readFile` is two, so both readings are tried. */
function withBrands(query: string): string {
  return query.replaceAll(/[\p{L}\p{N}]*\p{Ll}\p{Lu}[\p{L}\p{N}]*/gu, (word) => `${word.toLowerCase()} ${word}`)
}

/** Capitalized words that do not start a sentence. */
function namesIn(query: string): Set<string> {
  return new Set([...query.matchAll(/(?<=[\p{L}\p{N},;:] )\p{Lu}\p{Ll}+/gu)].flatMap(([name]) => splitWords(name)))
}

/** The kind of action: reading something, creating it, changing it, or removing it. */
export type Intent = 'look' | 'make' | 'change' | 'remove'

const VERBS: Readonly<Record<Intent, string>> = {
  look:
    'get read list search find show view fetch retrieve query lookup describe ' +
    'count browse check inspect explain compare analyze download export ' +
    'monitor investigate diagnose predict estimate recall ' +
    'see look watch tail evaluate calculate top history diff summarize explain tell',
  make:
    'create add make new insert write post send append upload register ' +
    'open schedule generate publish reply forward invite build draft ' +
    'charge pay bill fork clone duplicate copy compose write file raise page ' +
    'order buy pin invoke play text call ping reserve broadcast announce ' +
    'remember prepare zip compress log record declare install start book attach save put push propose message share',
  change:
    'update edit change modify set rename move replace patch assign transition ' +
    'merge scale restart convert enable disable mark alter adjust fix close ' +
    'reopen resolve approve confirm reschedule postpone accept decline respond ' +
    'give lock unlock dim lower turn switch resize pause resume skip restore ' +
    'revert undo retry',
  remove:
    'delete remove drop clear trash archive cancel void truncate terminate kill detach unpin ' +
    'kick erase revoke discard forget unsubscribe uninstall ban block destroy wipe purge prune',
}

const INTENT_OF = new Map<string, Intent>()
for (const intent of ['look', 'make', 'change', 'remove'] as const)
  for (const verb of VERBS[intent].split(' ')) if (!INTENT_OF.has(stem(verb))) INTENT_OF.set(stem(verb), intent)

/** These can mean anything in a query. */
const VAGUE = new Set(['get', 'see', 'check', 'open', 'top', 'share', 'book', 'record'].map(stem))

const QUESTION =
  /^\W*(?:(?:can|could) you (?:please )?)?(?:tell me |show me |let me know )?(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|did|does|do|has|have|any)\b/i

/** The intent of a query, as far as its start shows: a question reads something; otherwise the first verb decides. */
export function intentOfRequest(request: string, words: readonly { word: string }[]): Intent | undefined {
  if (QUESTION.test(request)) return 'look'
  return firstIntent(words.slice(0, 2).flatMap(({ word }) => (VAGUE.has(word) ? [] : word)))
}

/** The intent of a tool, by the first verb of its name, or else of its description. */
export function intentOfTool(name: string, description: string): Intent | undefined {
  return firstIntent(splitWords(name).map(stem)) ?? firstIntent(splitWords(description).slice(0, 1).map(stem))
}

function firstIntent(stems: readonly string[]): Intent | undefined {
  for (const word of stems) {
    const intent = INTENT_OF.get(word)
    if (intent) return intent
  }
  return undefined
}

/**
 * Whether a tool with one intent likely satisfies a query with the other. Creating something often changes its parent.
 */
export function fitsIntent(asked: Intent, done: Intent): 'yes' | 'no' | 'perhaps' {
  if (asked === done) return 'yes'
  return asked !== 'look' && done !== 'look' && asked !== 'remove' && done !== 'remove' ? 'perhaps' : 'no'
}
