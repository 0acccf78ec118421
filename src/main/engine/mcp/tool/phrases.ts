import more from '../../../../../resources/tool-search/more-ways-to-say.txt?raw'
import most from '../../../../../resources/tool-search/ways-to-say.txt?raw'
import { splitWords, stem } from './stemming'

/** Maximum number of other words between two words of a phrase. */
const MAX_WORDS_BETWEEN = 2

interface Phrase {
  said: readonly string[]
  meaning: readonly string[]
}

/** By their first word. */
const phrases = new Map<string, Phrase[]>()
for (const line of `${most}\n${more}`.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
  const [said = '', meaning = ''] = line.split(' > ')
  for (const way of said.split(', ')) {
    const words = way.split(' ').map(stem)
    phrases.set(words[0]!, [...(phrases.get(words[0]!) ?? []), { said: words, meaning: meaning.split(' ').map(stem) }])
  }
}

/** The meaning of query words that form a phrase, and the positions of these words. */
export interface PhraseMatch {
  places: readonly number[]
  meaning: readonly string[]
}

/** The phrases in a query, which is passed as its stems. */
export function phrasesIn(stems: readonly string[]): PhraseMatch[] {
  return stems.flatMap((first, place) =>
    (phrases.get(first) ?? []).flatMap(({ said, meaning }) => {
      const places = placesOf(said, stems, place)
      return places ? { places, meaning } : []
    }),
  )
}

function placesOf(said: readonly string[], stems: readonly string[], from: number): number[] | undefined {
  const places = [from]
  for (const word of said.slice(1)) {
    const last = places.at(-1)!
    const next = stems.indexOf(word, last + 1)
    if (next === -1 || next - last > MAX_WORDS_BETWEEN + 1) return undefined
    places.push(next)
  }
  return places
}

/** All words of a query as stems, including those without a meaning of their own. */
export function allStems(request: string): string[] {
  return splitWords(request.replaceAll(/n[’']t\b/gi, ' not').replaceAll(/\bcannot\b/gi, 'can not')).map(stem)
}

/**
 * Common phrases that mean something different from their individual words, with their meaning, applied in this order.
 * Short phrases whose words are inflected are in `ways-to-say.txt`.
 */
export const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/^\W*(?:please )?(e?mail|message|dm) (?=my |the |our |him |her |them |us |all |every|\p{Lu}|\S+@)/iu, 'send $1 '],
  [
    /^\W*(?:please )?(?:text|sms) (?=my |the |our |him |her |them |us |all |every|\p{Lu}|\+?\d)/iu,
    'send sms text message phone ',
  ],
  [/\b(?:in|to|from|at|our|the|my) (?:online |web )?stores?\b/gi, 'shop'],
  [/\bweb ?(?:page|site)s?\b/gi, 'webpage'],
  [/\bwho (?:can|may|is allowed to)(?: (?:see|open|read|view|edit|use|access))?\b/gi, 'permission access user'],
  [/\b(?:came|comes|sent|arrived) with\b/gi, 'attachment'],

  [
    /\b(?:alert|warn|notify|tell|ping|text|message|e?mail) (?:me|us) (?:when|if|once|whenever|as soon as)\b/gi,
    'create alert notification',
  ],
  [/\bremind (?:me|us)\b/gi, 'create reminder'],
  [
    /\b(?:send|post)\b(?=.{1,60}\b(?:later|tomorrow|next (?:week|month|monday)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b)/gi,
    'schedule send',
  ],
  [/\b(?:tell|show|let) (?:me|us)(?: know)?\b/gi, 'show'],
  [/\b(?:tell|let) (?=(?:the |my |our |all )?\S+(?: \S+){0,3} (?:that|know|about|we|i|it)\b)/gi, 'send message '],
  [/\bsay no\b/gi, 'decline'],
  [/\bsay yes\b/gi, 'accept'],
  [/\bpage (?=somebody|someone|whoever|people|the (?:team|engineer|person))/gi, 'alert incident '],
  [/\bsay\b(?=.{1,60}\b(?:in|to|on)\b)/gi, 'send message'],
  [/^\W*(?:is|are)\b(.+?)\b(?:open|closed|on|off|locked|unlocked|lit)\b(?: (?:right )?now)?\W*$/gi, 'state$1'],
  [/\b(?:is|are|am|be|when)\b(.{1,40}?)\b(?:free|available|busy)\b/gi, 'free busy calendar$1'],
  [/\b(?:is|are|stays?)(?: still)? up\b/gi, 'uptime monitor'],
  [/\bevery (?:minute|hour|day|week|month|morning|night)\b/gi, 'schedule recurring'],
  [/\b(?:do|did|have) (?:you|we) (?:remember|know)\b/gi, 'memory recall search'],
  [/\b(?:tick|check|cross)(?:ed)?(?: .{1,30}?)? off\b/gi, 'complete'],
  [/\bfile (.{1,40}?) under\b/gi, 'move label $1'],
  [/\bpoint (.{1,40}?) (?:at|to)\b/gi, 'change record $1'],
  [/\bhow (?:do|can|would|should) (?:i|we|you) (?:get|go|come) (?:from|to)\b/gi, 'direction route'],
  [/\bhow far\b/gi, 'distance'],
  [/\b(?:how long)\b(?=.*\b(?:drive|walk|ride|get (?:from|to)|journey|trip|way)\b)/gi, 'travel time distance'],
  [/\bwhat time\b/gi, 'current time'],
  [/\bhow (?:full|much (?:space|room))\b/gi, 'storage space usage'],
  [/\b(?:note|jot|jotting|noting)(?: .{1,20}?)? down\b/gi, 'add note'],
  [/\b(?:kick|throw|toss|boot)(?:ing)?( .{1,30}?)? out\b/gi, 'remove kick$1'],
  [/\bmake sure(?: that)?\b/gi, ''],
  [
    /\b(?:turn|change|make|put|bring) (.{1,40}?) into (?=utf|pdf|csv|json|xml|yaml|markdown|html|png|jpe?g|svg|word|excel|text|speech|english|german|french|spanish|dollars|euros)/gi,
    'convert $1 ',
  ],
  [
    /\b(?:bring|get|let|pull) (.{1,40}?) in(?:to)? (?=.{0,30}\b(?:channel|group|team|room|meeting|call|workspace)\b)/gi,
    'invite add $1 ',
  ],
  [/\bhand(?: .{1,30}?)? over\b/gi, 'assign'],
  [/\bsign(?:ed|s)? off\b/gi, 'approve'],
  [/\b(?:take|taking|snap|shoot) (?:a |an )?(?:picture|photo|screenshot|snapshot)\b/gi, 'screenshot picture'],
  [/\bgo(?:es)? live\b/gi, 'publish deploy'],
  [/\b(?:take|taking)(?: .{1,20}?)? down\b/gi, 'delete stop'],
  [/\b(?:bring|spin|fire|boot|power)(?:ing)?( .{1,20}?)? up\b/gi, 'start create$1'],
  [/\bback(?:ing|s)? up\b/gi, 'backup'],
  [/\broll(?:ing)? out\b/gi, 'deploy rollout'],
  [/\bring(?:ing)?( .{1,20}?)? up\b/gi, 'call phone$1'],
  [/\bgive (.{1,20}?) a (?:ring|call|buzz)\b/gi, 'call phone $1'],
  [/\bdrop (.{1,20}?) a (?:line|note|message)\b/gi, 'send message $1'],
  [/\bheads[- ]?up\b/gi, 'message'],
  [/\bsum(?:ming|s)?( .{1,20}?)? up\b/gi, 'summarize total$1'],
  [/\b(?:queue|line)(?: .{1,20}?)? up\b/gi, 'add queue'],
  [/\bwrite(?: .{1,20}?)? up\b/gi, 'create write'],
  [/\bcall(?:ing)?( .{1,30}?)? off\b/gi, 'cancel delete$1'],
  [/\b(?:put|file|pack)(?: .{1,30}?)? away\b/gi, 'archive'],
  [/\bout of (?:the )?office\b/gi, 'vacation'],
  [/\bon (?:holiday|vacation|leave)\b/gi, 'vacation'],
  [/\bon[ -]call\b/gi, 'oncall on call'],
  [/\b(?:pull requests?|PRs?)\b/g, 'pull request'],
  [/\bMRs?\b/g, 'merge request'],
  [/\brepos?\b/gi, 'repository'],
  [/\bdbs?\b/gi, 'database'],
  [/\bk8s\b/gi, 'kubernetes'],
  [/\benv\b/gi, 'environment'],
  [/\bVMs?\b/gi, 'vm machine instance'],
  [/\bDMs?\b/g, 'direct message'],
  [/\bdirs?\b/gi, 'directory'],
  [/\bdocs\b/gi, 'documentation document'],
  [/\b(?:Dockerfile|Makefile|README|Jenkinsfile|package\.json)\b/gi, 'file'],
  [/\+\d[\d ]{5,}/g, 'phone number '],
  [/[€$£]\s?\d+/gu, 'amount '],
  [/\b(?:give|help) (?:me|us)\b/gi, 'get'],
  [/\bwhat(?:[’']?s| is| does)? (?:in|inside)\b/gi, 'read list content'],
  [/\b(?:don[’']?t|do not|without) (?!know\b)\w+(?: (?:it|them|that|anything))?(?: yet)?/gi, ''],
  [/\b(?:don[’']?t|do not|doesn[’']?t|can[’']?t|isn[’']?t|aren[’']?t|haven[’']?t)\b/gi, ''],
  [/\bhttps?:\/\/\S+/gi, 'url page'],
  [/\b[\w.+-]+@[\w-]+\.\w+\b/gu, 'user'],
  [/\b(?:www\.)?[\w-]+\.(?:com|org|net|io|dev|app|ai|co|de|uk|eu)\b/gi, 'domain url'],
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
  [/\bclose down\b/gi, 'archive disable'],
  [/\bshut(?:ting|s)?( .{1,20}?)? (?:down|off)\b/gi, 'stop disable$1'],
  [/\b(?:have|need|needs|got|left) to do\b/gi, 'todo task'],
  [/\bto-?dos?\b/gi, 'todo task'],
  [/\bbug reports?\b/gi, 'bug issue'],
  [/\bmoney back\b/gi, 'refund'],
  [/\b(?:go|going|bring|put|roll) (?:.{1,20} )?back\b/gi, 'restore back'],
  [/\b(?:how much|how many)\b/gi, 'count'],
  [/\b(?:write|writing) down\b/gi, 'record'],
  [/\b(?:sign|log) ?in\b/gi, 'login'],
  [/\b(?:sign|log) ?out\b/gi, 'logout'],
  [/\bsign up\b/gi, 'register'],
  [/\bput(?= .{1,40} (?:in|into|on|to)\b)/gi, 'add'],
  [/#\p{L}[\p{L}\p{N}_-]*/gu, 'channel'],
  [/(?<!\p{L})["“”„][^"“”„]{1,200}["“”]|(?<!\p{L})'[^']{3,200}'(?!\p{L})/gu, ''],
  [/(?<![\p{L}\p{N}])@(?=\p{L})/gu, 'user '],
]
