/**
 * What a word is to the search, in one place for texts, queries and snippets: a run of letters and digits, folded (case, accents,
 * full-width forms); but each character of a script that writes without spaces, and each emoji, is a word by itself, so that a part of
 * a Chinese sentence can be found.
 */
const SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar']
const ALONE = String.raw`${SCRIPTS.map((script) => String.raw`\p{Script=${script}}`).join('')}\p{Extended_Pictographic}`
const WORDS = new RegExp(String.raw`[${ALONE}]|[[\p{L}\p{N}\p{M}\p{Co}]--[${ALONE}]]+`, 'gv')
const ASCII_WORDS = /[A-Za-z0-9]+/g
const BEYOND_ASCII = /\P{ASCII}/u

export interface Word {
  folded: string
  start: number
  end: number
}

/** The words of a text, in order and lazily. */
export function* wordsOf(text: string): Generator<Word> {
  const plain = !BEYOND_ASCII.test(text)
  for (const match of text.matchAll(plain ? ASCII_WORDS : WORDS)) {
    const folded = plain ? match[0].toLowerCase() : fold(match[0])
    if (folded !== '') yield { folded, start: match.index, end: match.index + match[0].length }
  }
}

/** A text as the index wants it: ASCII is split by SQLite itself, everything else is brought into that form. */
export function indexable(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.replaceAll('\u0000', ' ')
  const words: string[] = []
  for (const word of wordsOf(text)) words.push(word.folded)
  return words.join(' ')
}

/** Compatibility forms may bring in spaces and punctuation (`⑴` is `(1)`): only what makes words is kept. */
function fold(word: string): string {
  if (!BEYOND_ASCII.test(word)) return word.toLowerCase()
  return word
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}\p{Co}\p{Extended_Pictographic}]+/gu, '')
    .toLowerCase()
}
