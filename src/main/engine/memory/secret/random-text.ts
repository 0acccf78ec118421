/**
 * Whether the text holds something that only a machine writes: a long random string, a card number, a product key, or a
 * recovery phrase.
 */
export function randomTextIn(text: string): string | undefined {
  if (cardNumberIn(text)) return 'a card number'
  if (phraseIn(text)) return 'a recovery phrase'
  for (const { 0: token, index } of text.matchAll(/[A-Za-z0-9+/=_~.-]{16,}/g)) {
    const before = text.slice(Math.max(0, index - 40), index)
    if (isRandomToken(token.replace(/[.,-]+$/, ''), before)) return 'a random key'
  }
  return undefined
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
/** A hash is named as one: the commit, digest or checksum of something public. */
const NAMES_HASH =
  /\b(?:commits?|revision|rev|sha-?\d*|hash|checksum|digest|md5|etag|blob|tree|tag|version|pinned)\b[\s\w:'"`(=/-]{0,24}$|sha\d+[:-]$|@$/i
/** The id of a document in its link does not grant access on its own. */
const DOCUMENT =
  /^\/*(?:[\w-]+\.)*(?:google|figma|notion|miro|sharepoint|atlassian|github|gitlab|youtube|youtu)\.[a-z.]+\//
const PRODUCT_KEY = /^(?=(?:.*\d){2})(?=(?:.*[A-Z]){2})(?:[A-Z0-9]{4,8}-){3,}[A-Z0-9]{4,8}$/

function isRandomToken(token: string, before: string): boolean {
  if (UUID.test(token) || DOCUMENT.test(token)) return false
  if (PRODUCT_KEY.test(token)) return true
  const hex = /(?:^|[/=.])(?:0x)?([0-9a-f]{32,}|[0-9A-F]{32,})$/.exec(token)?.[1]
  if (hex !== undefined) return /[a-f]/i.test(hex) && !NAMES_HASH.test(before + token.slice(0, -hex.length))
  const hash = /(?:^|[.:@/-])sha\d+[-:]?/i.test(`${before.slice(-8)}${token}`)
  if (hash) return false
  // A path or a name is made of words; a random string is not, however it is divided.
  const parts = token.split(/[./_~=-]+/).filter((part) => part.length > 0)
  if (parts.some((part) => part.length >= 16 && isMixed(part))) return true
  return (
    token.length >= 28 &&
    !/[.~]/.test(token) &&
    isMixed(token.replaceAll(/[/_=-]/g, '')) &&
    parts.every((part) => !isWord(part) || part.length < 4)
  )
}

function isWord(part: string): boolean {
  return /^(?:[a-z]+|[A-Z]?[a-z]+|[A-Z]+|\d+|[a-z]+\d{1,3})$/.test(part)
}

/** Changes between small letters, capitals and digits as often as only random text does. */
function isMixed(part: string): boolean {
  const digits = [...part.matchAll(/\d/g)].length
  const letters = [...part.matchAll(/[A-Za-z]/g)].length
  if (letters < 4) return false
  let changes = 0
  for (let at = 1; at < part.length; at += 1) if (kindOf(part[at]!) !== kindOf(part[at - 1]!)) changes += 1
  const share = changes / (part.length - 1)
  const both = /[a-z]/.test(part) && /[A-Z]/.test(part)
  if (both && digits >= 1) return share >= 0.32
  if (both) return part.length >= 24 && share >= 0.42
  return digits >= 3 && share >= 0.26
}

function kindOf(char: string): number {
  return /[a-z]/.test(char) ? 0 : /[A-Z]/.test(char) ? 1 : /\d/.test(char) ? 2 : 3
}

/** 13 to 19 digits with a card's first digit and a correct check digit. */
function cardNumberIn(text: string): boolean {
  for (const [found] of text.matchAll(/(?<![\d.])[2-6](?:[ -]?\d){12,18}(?![\d.])/g)) {
    const digits = Array.from(found.replaceAll(/\D/g, ''), Number).toReversed()
    const sum = digits.reduce(
      (total, digit, at) => total + (at % 2 === 0 ? digit : digit < 5 ? digit * 2 : digit * 2 - 9),
      0,
    )
    if (sum % 10 === 0) return true
  }
  return /\b(?:ssn|social security(?: number)?|sozialversicherungsnummer)\b\D{0,20}\d{3}[- ]?\d{2}[- ]?\d{4}/i.test(
    text,
  )
}

/** Words that every sentence has and no word list of wallets. */
const SENTENCE_WORDS = new Set(
  'the and for are but not was its our has had his her from were been their your'.split(' '),
)
const PHRASE_LENGTHS = new Set([12, 15, 18, 21, 24])

/**
 * The words of a wallet: 12 to 24 short ones in a row, without the words that make a sentence; or a few, where they are
 * called that.
 */
function phraseIn(text: string): boolean {
  const named =
    /\b(?:seed|recovery|mnemonic|backup|wallet|secret)[ _-]?(?:phrase|words?|seed)\b\W*(?:is|are)?\W*((?:[a-z]{3,8}[\s,]+(?:\d+[.)]\s*)?){5,}[a-z]{3,8})/i.exec(
      text,
    )
  if (
    named?.[1] !== undefined &&
    !named[1].split(/[\s,]+/).some((word) => SENTENCE_WORDS.has(word.toLowerCase()) || word === 'in')
  )
    return true
  for (const [run] of text.matchAll(/(?:(?:^|\s)(?:\d{1,2}[.)]\s*)?[a-z]{3,8},?(?=\s|$|[.!]))+/g)) {
    const words = run.match(/[a-z]{3,8}/g) ?? []
    if (PHRASE_LENGTHS.has(words.length) && !words.some((word) => SENTENCE_WORDS.has(word))) return true
  }
  return false
}
