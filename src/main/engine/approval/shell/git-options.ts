import type { Word } from './shell-syntax'
import { isLong, mayBeOption } from './running-options'

interface Found {
  word: string
  reason: string
}

/** Options before the command. */
const GLOBAL = /^(?:-c|-c.+|--config-env.*|--exec-path=.*|-p|--paginate)$/
const GLOBAL_WITH_VALUE = /^(?:-C|--git-dir|--work-tree|--namespace|--super-prefix|--attr-source)$/

/** Commands that come with git and run only what belongs to it (and the hooks, filters and helpers that are set up). Any other may be anything. */
const COMMANDS = new Set(
  `add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout
  checkout-index cherry cherry-pick citool clean clone column commit commit-graph commit-tree config count-objects describe diff diff-files
  diff-index diff-tree diff-pairs fetch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep gui hash-object
  help init interpret-trailers last-modified lfs log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file
  merge-tree mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id prune prune-packed pull push range-diff
  read-tree rebase reflog refs remote repack replace replay request-pull rerere reset restore rev-list rev-parse revert rm send-pack
  shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag unpack-file
  unpack-objects update-index update-ref var verify-commit verify-pack verify-tag version whatchanged worktree write-tree`.split(/\s+/),
)
const ANYWHERE = [
  '--upload-pack',
  '--receive-pack',
  '--upload-archive',
  '--exec',
  '--extcmd',
  '--open-files-in-pager',
  '--ext-diff',
  '--textconv',
  '--template',
  '--config',
  '--config-env',
]
/** Of commands that have none of the above but something that looks like one. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = { log: ['--exec'], 'rev-parse': ANYWHERE, commit: ['--config'] }
const OWN: Readonly<Record<string, RegExp>> = Object.assign(Object.create(null), {
  bisect: /^(?:run|visualize|view)$/,
  submodule: /^foreach$/,
  clone: /^(?:-[a-zA-Z]*[cu].*)$/,
  fetch: /^-[a-zA-Z]*u.+$/,
  rebase: /^(?:-[a-zA-Z]*[xi].*|--interactive|--edit-todo)$/,
  grep: /^-[a-zA-Z]*O.*$/,
  'for-each-repo': /^.*$/,
  hook: /^.*$/,
} satisfies Record<string, RegExp>)
const STRATEGIES = /^(?:ort|recursive|resolve|octopus|ours|subtree)$/
/** Settings that make git run nothing. */
const PLAIN_KEY =
  /^(?:user\.(?:name|email|signingkey)|color\..*|column\..*|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|fetch\.prune(?:tags)?|merge\.(?:ff|conflictstyle|renames)|rebase\.(?:autostash|autosquash|updaterefs)|branch\..*\.(?:remote|merge|rebase|description)|core\.(?:autocrlf|eol|ignorecase|filemode|quotepath|abbrev|longpaths|whitespace|symlinks|precomposeunicode)|commit\.(?:gpgsign|verbose)|tag\.(?:gpgsign|sort)|diff\.(?:renames|algorithm|colormoved)|advice\..*|help\.autocorrect|rerere\.enabled|log\..*|status\..*|safe\.directory)$/i

/** Where git is told to run other programs; `rest`: its words. */
export function gitOption(rest: readonly Word[]): Found | undefined {
  let at = 0
  for (; rest[at]?.text.startsWith('-'); at += GLOBAL_WITH_VALUE.test(rest[at]!.text) ? 2 : 1)
    if (GLOBAL.test(rest[at]!.text) || isLong(rest[at]!.text, '--config-env'))
      return { word: rest[at]!.text, reason: `git ${rest[at]!.text} can make git run other programs` }
  const [command, ...words] = rest.slice(at)
  if (!command) return undefined
  if (!command.known) return { word: '', reason: 'which command of git runs is only known when it runs' }
  const { text } = command
  if (!COMMANDS.has(text)) return { word: text, reason: `git ${text} may be any program` }
  const said =
    words.find((word, index) => runs(text, word.text) || isStrategy(text, words, index)) ??
    (text === 'config' ? changedSetting(words) : undefined)
  if (said) return { word: said.text, reason: `git ${text} ${said.text} can run other programs` }
  return /^(?:clone|fetch|pull|push|ls-remote|archive|grep|rebase|submodule|bisect|config|send-pack)$/.test(text)
    ? mayBeOption(`git ${text}`, words)
    : undefined
}

function runs(command: string, text: string): boolean {
  if (text.startsWith('ext::') || OWN[command]?.test(text)) return true
  return ANYWHERE.some((option) => isLong(text, option) && !HARMLESS[command]?.includes(option))
}

function isStrategy(command: string, words: readonly Word[], index: number): boolean {
  if (!/^(?:merge|pull|rebase|cherry-pick|revert)$/.test(command)) return false
  const { text } = words[index]!
  const value = /^-s(.+)$/.exec(text)?.[1] ?? /^--str?a?t?e?g?y?=(.*)$/.exec(text)?.[1]
  if (value !== undefined) return !STRATEGIES.test(value)
  return /^(?:-s|--strategy)$/.test(text) && !STRATEGIES.test(words[index + 1]?.text ?? '')
}

/** A setting that is changed, unless it is known to make git run nothing. */
export function changedSetting(words: readonly Word[]): Word | undefined {
  const editing = words.find(({ text }) => /^(?:-e|--edit|edit|--rename-section|--remove-section|rename-section)$/.test(text))
  if (editing) return editing
  if (words.some(({ text }) => /^(?:-l|--list|list|get|--get.*|--unset.*|unset)$/.test(text))) return undefined
  const named = words.filter((word) => !word.text.startsWith('-') && word.text !== 'set')
  const key = named.find((word) => !word.known || word.text.includes('.'))
  if (!key || named.length < 2) return undefined
  return key.known && PLAIN_KEY.test(key.text) ? undefined : key
}
