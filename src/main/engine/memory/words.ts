/** Words that do not indicate the topic of a text, in English and German. */
const STOP_WORDS = new Set(
  (
    'a about above after again all also always am an and any anyone anything are as at be ' +
    'because been before being but by can cannot could did do does doing done don down each ' +
    'either else ever every everything for from get gets give go goes going got had has ' +
    'have having he her here hers him his how i if in into is isn it its itself just ' +
    'know let like ll may me might mine more most much must my myself need needs never ' +
    'no nor not nothing now of off often on once one only or other our ours out over own ' +
    'please re s same say says shall she should show so some somebody something still such ' +
    'sure t tell than that the their them then there these they thing things this those ' +
    'through to too under until up upon us use used uses using usually ve very want wants ' +
    'was wasn way we well were what when where which while who whom whose why will with ' +
    'without won would yes yet you your yours ' +
    'aber als am an auch auf aus bei bin bis bitte da das dass dein dem den der des die ' +
    'dir doch du ein eine einem einen einer es für hat habe ich ihr im in ist ja kann mein ' +
    'meine meinen mich mir mit nach nicht noch nur oder sein sich sie sind so soll über um und uns ' +
    'unser von vor war was wann warum welche welcher welches wem wen wer wie wir wird wo zu zum zur'
  ).split(' '),
)

/** Runs of scripts written without spaces between words, which are indexed by character pairs. */
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+$/u
const RUNS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+|[\p{L}\p{N}]+/gu
const BEYOND_ASCII = /\P{ASCII}/u

/**
 * The words of a text in lower case and without accents, in order; names are split where the case changes and between
 * letters and digits, and are also included as a whole: `readFile2` becomes `readfile2`, `read`, `file` and `2`.
 */
export function wordsOf(text: string): string[] {
  const words: string[] = []
  for (const [run] of plain(text).matchAll(RUNS)) {
    if (UNSPACED.test(run)) {
      for (let at = 0; at < Math.max(1, run.length - 1); at += 1) words.push(run.slice(at, at + 2))
      continue
    }
    words.push(run.toLowerCase())
    const parts = run.split(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u)
    if (parts.length > 1) words.push(...parts.map((part) => part.toLowerCase()))
  }
  return withCompounds(words)
}

/** Words that are also written as two words. */
const COMPOUNDS = new Set(
  (
    'login logon signin signup standup timezone oncall checkin backup ' +
    'rollback homepage database workplace codebase birthday homeoffice weekend'
  ).split(' '),
)

function withCompounds(words: string[]): string[] {
  for (let at = words.length - 1; at > 0; at -= 1) {
    const joined = `${words[at - 1]}${words[at]}`
    if (COMPOUNDS.has(joined)) words.splice(at + 1, 0, joined)
  }
  return words
}

function plain(text: string): string {
  const whole = text.replaceAll(/(?<=\p{L})[’'](?:s|re|ve|ll|m|d)\b/gu, '')
  return BEYOND_ASCII.test(whole) ? whole.replaceAll('ß', 'ss').normalize('NFKD').replaceAll(/\p{M}/gu, '') : whole
}

/** Whether a word indicates the topic of a text. */
export function isTelling(word: string): boolean {
  return !STOP_WORDS.has(word) && (word.length > 1 || !/[a-z]/.test(word))
}

/** Irregular forms and spellings that the ending rules do not cover. */
const IRREGULAR = new Map(
  (
    'children:child kids:kid men:man women:woman wives:wife people:person feet:foot teeth:tooth ' +
    'mice:mouse wrote:write written:write drank:drink drunk:drink ate:eat eaten:eat ' +
    'drove:drive driven:drive rode:ride ridden:ride ran:run spoke:speak spoken:speak bought:buy ' +
    'sold:sell paid:pay sent:send kept:keep built:build born:birth began:begin begun:begin ' +
    'chose:choose chosen:choose met:meet slept:sleep flew:fly flown:fly taught:teach ' +
    'thought:think brought:bring went:go took:take taken:take lent:lend left:leave held:hold ' +
    'lives:live living:live colour:color colours:color favourite:favorite ' +
    'favourites:favorite grey:gray theatre:theater centre:center metre:meter licence:license ' +
    'bicycle:bike bicycles:bike photo:photograph photos:photograph data:datum dev:develop ' +
    'prod:production repo:repository repos:repository db:database dbs:database ' +
    'config:configure configs:configure env:environment doc:document docs:document ' +
    'app:application apps:application auth:authenticate info:inform k8s:kubernetes ' +
    'pr:review prs:review ok:okay fe:frontend be:backend js:javascript ' +
    'ts:typescript py:python tz:timezone bday:birth birthday:birth'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
)

/** Endings by the fewest letters that must remain, longest first. */
const LONG_ENDINGS =
  /(?<=.{3})(?:izations?|isations?|ational|fulness|iveness|ousness|ations?|itions?|izing|ising|ating|ified|ments?|iance|iness|ances?|ences?|ables?|ibles?|ness|less|izer|ized|ised|ated|ator|ize|ise|ify|ate|ful|ive|ity|ism|ist|ing|ion)$/
const SHORT_ENDINGS = /(?<=.{4})(?:ants?|ents?|ical|ous|ine|ed|er|or|ly|al|ic|en)$/
const VOWEL = /[aeiouy]/

/**
 * A common stem of the forms of a word: `deploys`, `deployed`, `deployment` and `deploying`. Stems need to be equal,
 * but need not be words. It cuts more than usual, because a false match costs less than a missed entry.
 */
export function stem(word: string): string {
  const known = IRREGULAR.get(word) ?? word
  if (known.length <= 3 || !/^[a-z]+$/.test(known)) return known
  let bare = singular(known)
  for (let cut = ''; cut !== bare;) {
    cut = bare
    for (const ending of [LONG_ENDINGS, SHORT_ENDINGS]) {
      const rest = bare.replace(ending, '')
      if (rest !== bare && VOWEL.test(rest)) bare = undoubled(rest)
    }
  }
  const even = bare.length > 4 ? bare.replace(/our$/, 'or') : bare
  return undoubled(even.length > 3 ? even.replace(/(?<=.{3})[eiy]$/, '') : even)
}

function singular(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|ch|sh|zz)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word
}

/** `running`, `stopped`. */
function undoubled(word: string): string {
  return word.length > 3 && /([^aeiou])\1$/.test(word) ? word.slice(0, -1) : word
}
