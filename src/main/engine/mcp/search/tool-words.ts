/** Words that say nothing of what is wanted. Words of a question (`which`, `show`) do: see `LIKE_WORDS`. */
const STOP_WORDS = new Set(
  (
    'a about after again all also am an and any are as at be been before but by can could did do does doing for from had has have having he her ' +
    'here him his how i if in into is it its just like may me might must my need needs no now of off on or other our out over own ' +
    'please s same she should so some such t than that the their them then there these they this those through to too under until us very want wants ' +
    'was way we were when where while will with would you your yours yet e g etc via per'
  ).split(' '),
)

/**
 * The words of a name or a text in lower case: split where the case changes, and at underscores, hyphens, digits and everything else that is no letter, so that
 * `readHTMLFile2` and `read_html-file` are found alike.
 */
export function splitWords(text: string): string[] {
  return text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replaceAll(/[’']s\b/g, '')
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u)
    .filter((word) => word !== '')
}

/** Those words of a text that say something. A text of nothing but the others keeps them. */
export function tellingWords(text: string): string[] {
  const words = splitWords(text)
  const telling = words.filter((word) => !STOP_WORDS.has(word))
  return telling.length > 0 ? telling : words
}

/**
 * What the forms of an English word have in common: `files` and `file`, `creating`, `created` and `creation`. Forms need to come out alike, not to be words; words
 * of other languages mostly stay as they are.
 */
export function stem(word: string): string {
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word
  const singular = withoutPlural(word)
  return withoutEnding(withoutTense(singular))
}

function withoutPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|ch|sh|zz)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word
}

function withoutTense(word: string): string {
  const bare = /^(.*[aeiouy].*)(?:ing|ed)$/.exec(word)?.[1]
  if (bare === undefined || bare.length < 3) return word
  // `stopping`, but `calling`.
  return /([^aeiouylsz])\1$/.test(bare) ? bare.slice(0, -1) : bare
}

function withoutEnding(word: string): string {
  const bare = word
    .replace(/ification$/, 'ify')
    .replace(/(?<=.{3}[st])ion$/, '')
    .replace(/(?<=.{4})ment$/, '')
    .replace(/(?<=.{4})ly$/, '')
    .replace(/(?<=.{2})e$/, '')
  return bare.length > 2 ? bare.replace(/y$/, 'i') : bare
}
