import { stem } from './tool-words'

/**
 * Words that mean much the same when one asks for something to be done, one group a line. People ask in other words than tools are named in; a word that is
 * alike counts less than the word itself. Only what holds everywhere belongs here: nothing of any one server.
 */
/** What is to be done. */
const DOING = [
  'create make add new generate build compose start open write insert setup',
  'get read show view fetch retrieve display see look load give',
  'list show which what enumerate browse all',
  'search find look query lookup locate where discover',
  'update change edit modify set alter adjust rewrite revise replace correct fix',
  'delete remove drop erase discard clear trash destroy',
  'truncate empty clear purge wipe',
  'send post tell write share deliver say notify message',
  'reply answer respond comment',
  'run execute invoke call launch trigger start',
  'rerun retry again repeat',
  'stop cancel end abort terminate kill halt quit',
  'move rename transfer relocate',
  'rename name title call',
  'copy duplicate clone replicate',
  'compare diff difference changed versus',
  'upload attach put push',
  'download save export get',
  'merge combine join',
  'approve accept confirm review',
  'decline reject refuse deny',
  'respond accept decline',
  'assign give delegate hand',
  'invite add bring',
  'kick remove',
  'mute silence snooze quiet suppress',
  'pause suspend disable',
  'enable activate turn',
  'close resolve finish complete done',
  'reopen restore undelete recover undo revert rollback back previous',
  'schedule plan later tomorrow',
  'publish release ship',
  'install deploy',
  'restart reboot reload refresh',
  'scale replica instance size',
  'grant allow permit let permission access privilege right',
  'share access give grant collaborate permission',
  'compress zip pack archive',
  'extract unzip unpack decompress',
  'click press tap push',
  'type enter input fill',
  'select choose pick',
  'navigate go open visit browse',
  'subscribe follow watch',
  'track log record',
  'count number total',
  'explain why analyze analysis cause',
  'monitor check watch ping',
  'pay charge bill payment purchase buy',
  'refund reimburse return money back',
  'translate convert transform',
  'summarize summary',
  'book reserve schedule',
  'transition move status state',
  'link connect relate block',
]

/** What it is done to. */
const THINGS = [
  'issue ticket bug report task problem defect',
  'comment note remark discussion',
  'pull request pr merge review',
  'repository repo project codebase',
  'code source function symbol',
  'commit change committed revision',
  'pipeline workflow ci action job build',
  'message chat dm text',
  'email mail inbox gmail letter',
  'channel room group',
  'thread conversation reply',
  'reaction emoji',
  'user person people member account who somebody someone contact colleague',
  'file document doc',
  'folder directory dir path',
  'picture image photo screenshot snapshot',
  'page site website web url address',
  'wiki page confluence documentation article',
  'table relation',
  'row record entry line',
  'column field attribute',
  'spreadsheet sheet excel cell table',
  'database db sql postgres mysql sqlite',
  'select query statement',
  'slow slowest long longest performance latency',
  'content inside within word text string phrase',
  'fast speed optimize index',
  'backup dump snapshot',
  'event meeting appointment calendar',
  'free available availability busy',
  'vacation holiday office absence away',
  'invitation invite rsvp',
  'reminder remind alarm',
  'customer client buyer',
  'invoice bill receipt',
  'discount coupon promotion off voucher',
  'subscription plan membership',
  'balance money fund account',
  'product item article',
  'error exception crash failure bug',
  'stack trace stacktrace traceback',
  'log logs output',
  'alert alarm warning notify',
  'incident outage down emergency',
  'metric measurement statistic stat usage top',
  'memory ram cpu usage top resource',
  'disk space storage size',
  'large big biggest largest most',
  'uptime availability up reachable',
  'dashboard board overview',
  'server machine host node',
  'pod container',
  'shell command terminal exec console',
  'manifest yaml',
  'tree structure hierarchy',
  'permission mode chmod executable',
  'identical duplicate same',
  'recent latest last newest today',
  'history log changelog past',
  'version revision release',
  'tag label',
  'status state condition',
  'setting config configuration option preference',
  'key secret password credential token',
  'picture screenshot capture',
  'price cost rate',
  'weather forecast temperature',
  'map location place where geocode',
  'route direction navigation way',
  'entity node object',
  'note memo',
]

const ALIKE = new Map<string, Set<string>>()
const stemsOf = (group: string): string[] => group.split(' ').map(stem)
for (const group of [...DOING, ...THINGS]) {
  const stems = stemsOf(group)
  for (const one of stems) {
    const others = ALIKE.get(one) ?? new Set()
    for (const other of stems) if (other !== one) others.add(other)
    ALIKE.set(one, others)
  }
}

const things = new Set(THINGS.flatMap(stemsOf))
const doing = new Set(DOING.flatMap(stemsOf).filter((word) => !things.has(word)))

const NONE: ReadonlySet<string> = new Set()

/** Stems of words like this one, which is a stem itself. */
export function wordsLike(stemmed: string): ReadonlySet<string> {
  return ALIKE.get(stemmed) ?? NONE
}

/** Whether a word says what is to be done, not to what: many tools do the same to different things. */
export function isDoing(stemmed: string): boolean {
  return doing.has(stemmed)
}
