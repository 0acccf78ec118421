/** Words without meaning in a search. `which`, `show` and the like are not listed: synonyms.ts gives them a meaning. */
const STOP_WORDS = new Set(
  (
    'a about after again all also am an and any are as at be been before ' +
    'but by can could did do does doing for from had has have having he her ' +
    'here him his how i if in into is it its just like may me might ' +
    'must my need needs no now of off on or other our out over own ' +
    'please s same she should so some such t than that the their them then ' +
    'there these they this those through to too under until us very want wants ' +
    'was way we were while will with would you your yes good great nice best really thing something anything ' +
    'everything ok hey hi thank thanks already still yet ever only both each every yours yet e g etc via per'
  ).split(' '),
)

/**
 * The words of a name or text in lower case: split where the case changes, between letters and digits, and at
 * everything else. `readHTMLFile2` and `read_html-file-2` give the same words.
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

/** The meaningful words of a text. If it has only stop words, those are kept. */
export function contentWords(text: string): string[] {
  const words = splitWords(text)
  const telling = words.filter((word) => !STOP_WORDS.has(word))
  return telling.length > 0 ? telling : words
}

/** Forms and abbreviations that no rule covers. */
const IRREGULAR = new Map(
  (
    'bought:buy sent:send wrote:write written:write went:go gone:go said:say ' +
    'spent:spend paid:pay ran:run made:make took:take taken:take gave:give given:give ' +
    'found:find lost:lose sold:sell built:build people:person children:child ' +
    'got:get gotten:get kept:keep held:hold told:tell broke:break broken:break ' +
    'began:begin begun:begin chose:choose chosen:choose drew:draw drawn:draw ' +
    'shown:show knew:know known:know heard:hear left:leave met:meet saw:see seen:see ' +
    'spoke:speak spoken:speak thought:think woke:wake indices:index men:man women:woman mice:mouse ' +
    'criteria:criterion production:prod productive:prod news:headline gsheet:sheet gsheets:sheet ' +
    'gdoc:document gdocs:document gdrive:drive gcal:calendar doc:document docs:document ' +
    'db:database repo:repository repos:repository env:environment msg:message config:configuration ' +
    'configs:configuration info:information dir:directory img:image pic:picture pics:picture ' +
    'org:organization orgs:organization app:application apps:application vid:video ' +
    'addr:address param:parameter params:parameter lib:library admin:administrator ' +
    'admins:administrator perm:permission perms:permission k8s:kubernetes dbs:database colour:color ' +
    'colours:color favourite:favorite favourites:favorite photo:photograph ' +
    'photos:photograph auth:authenticate authentication:authenticate prs:pull'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
)

/**
 * The common stem of the forms of an English word: `files` and `file`, `creating`, `created` and `creation`. Stems only
 * need to be equal; they need not be words. Words of other languages mostly stay unchanged.
 */
export function stem(word: string): string {
  const regular = IRREGULAR.get(word)
  return plainStem(regular ?? word)
}

/** The same without irregular forms and abbreviations: `config` does not become `configuration`. */
export function plainStem(word: string): string {
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word
  return withoutEnding(withoutTense(withoutPlural(word)))
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
