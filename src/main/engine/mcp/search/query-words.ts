import { stem, tellingWords } from './tool-words'

/** Common phrases whose words, taken one by one, say something else; with what they mean. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:tell|show|let) (?:me|us)(?: know)?\b/gi, 'show'],
  [/\b(?:give|help) (?:me|us)\b/gi, 'get'],
  [/\bwhat(?:[’']?s| is| does)? (?:in|inside)\b/gi, 'read list content'],
  [/\b(?:don[’']?t|do not|doesn[’']?t|can[’']?t|isn[’']?t|aren[’']?t|haven[’']?t)\b/gi, ''],
  [/\bhttps?:\/\/\S+/gi, 'url page'],
  [/\b[\w.+-]+@[\w-]+\.\w+\b/gu, 'email address'],
  [/(?<![\w/])[\w./-]*\w\.[a-z][a-z0-9]{1,3}\b/g, 'file'],
  [/\b[A-Z]{2,10}-\d+\b/g, 'issue'],
  [/\b(?:set|setting|sets) ?up\b/gi, 'create'],
  [/\b(?:look|looking|looked|looks) (?:up|for|into)\b/gi, 'find'],
  [/\b(?:find|finding|found) out\b/gi, 'get'],
  [/\b(?:get|getting) rid of\b/gi, 'delete'],
  [/\b(?:take|taking) (?:away|off|out)\b/gi, 'remove'],
  [/\b(?:throw|throwing) away\b/gi, 'delete'],
  [/\b(?:turn|turning|switch|switching)( .{1,40}?)? on\b/gi, 'enable$1'],
  [/\b(?:turn|turning|switch|switching)( .{1,40}?)? off\b/gi, 'disable$1'],
  [/\b(?:close|shut) down\b/gi, 'archive disable'],
  [/\bbug reports?\b/gi, 'bug issue'],
  [/\bmoney back\b/gi, 'refund'],
  [/\b(?:go|going|bring|put|roll) (?:.{1,20} )?back\b/gi, 'restore back'],
  [/\b(?:how much|how many)\b/gi, 'count'],
  [/\b(?:write|writing) down\b/gi, 'record'],
  [/\b(?:sign|log) ?in\b/gi, 'login'],
  [/\b(?:sign|log) ?out\b/gi, 'logout'],
  [/\bsign up\b/gi, 'register'],
  [/\bout of (?:the )?office\b/gi, 'vacation'],
  [/\bput(?= .{1,40} (?:in|into|on|to)\b)/gi, 'add'],
  [/#(?=\p{L})/gu, 'channel '],
  [/(?<![\p{L}\p{N}])@(?=\p{L})/gu, 'user '],
]
/** What follows these says more of the matter, not of what is to be done with it. */
const ASIDE = /\b(?:about|because|called|named|titled|saying|says|so that|that)\b/i
const ASIDE_WEIGHT = 0.5
/** Who asks for something says first what: each further word weighs less, down to `LEAST`. */
const DECAY = 0.06
const LEAST = 0.5

/** A word of a query, as a stem, with what it weighs: at most 1. */
export interface QueryWord {
  word: string
  weight: number
}

/** The words that a query looks for, each once. */
export function queryWords(query: string): QueryWord[] {
  const text = PHRASES.reduce((changed, [phrase, meaning]) => changed.replaceAll(phrase, meaning), query)
  const at = ASIDE.exec(text)?.index ?? text.length
  const main = tellingWords(text.slice(0, at)).map(stem)
  const aside = at < text.length ? tellingWords(text.slice(at)).map(stem) : []
  const words = new Map<string, number>()
  for (const [place, word] of [...main, ...aside].entries()) {
    if (words.has(word)) continue
    words.set(word, Math.max(LEAST, 1 - DECAY * place) * (place < main.length ? 1 : ASIDE_WEIGHT))
  }
  return [...words].map(([word, weight]) => ({ word, weight }))
}
