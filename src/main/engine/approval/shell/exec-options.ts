import type { Word } from '../../permission/shell-syntax'

/** Options (and other words) that make a program run another program or code that rules cannot see. */
interface Running {
  /** Long options without a value; abbreviations count too. */
  long?: readonly string[]
  /** The first word that is not an option, if it does this. */
  first?: RegExp
  /** Whole words that do this. */
  words?: RegExp
}

const VIM: Running = { words: /^(?:\+|-(?:c|s|S|u|U|i|w|W|l|e[sx]?$|V)|--(?:cmd|headless|startuptime|remote|luamod))/ }
const COMPILER: Running = { words: /^-(?:wrapper|fplugin|specs|B|fuse-ld|Xlinker|load|Xclang)/ }
const SQL: Running = {
  words: /\\!|\\[ogwei]|\bprogram\b|\.(?:shell|system|load|output|once|read|import|open)\b|\bsystem\b/i,
}
const PAGED: Running = { long: ['--pager'] }
const MAKE: Running = {
  words: /^-[bBdehikKLmnpqrRsStvwW]*[fEI]/,
  long: ['--file', '--makefile', '--eval', '--include-dir'],
}

const RUNNING: Readonly<Record<string, Running>> = Object.assign(Object.create(null), {
  tar: {
    words: /^(?:-[a-zA-Z]*[IFT]|(?=[a-zA-Z]*[cxtruA])[a-zA-Z]*[IFT][a-zA-Z]*$)/,
    long: [
      '--checkpoint-action',
      '--to-command',
      '--use-compress-program',
      '--info-script',
      '--new-volume-script',
      '--rsh-command',
      '--rmt-command',
      '--files-from',
    ],
  },
  rg: { long: ['--pre', '--hostname-bin'] },
  sort: { long: ['--compress-program'] },
  split: { long: ['--filter'] },
  install: { long: ['--strip-program'] },
  rsync: { words: /^-[a-zA-Z]*[eM]/, long: ['--rsh', '--rsync-path', '--remote-option'] },
  ssh: { words: /^-[46AaCfGgKkMNnqsTtVvXxYy]*[oFIE]/ },
  scp: { words: /^-[346ABCOpqRrTv]*[SoFD]/ },
  sftp: { words: /^-[46AaCfNpqrv]*[SoFDbs]/ },
  vim: VIM,
  less: { words: /^[-+]/ },
  man: { words: /^-(?:P|H|C|l)/, long: ['--pager', '--html', '--config-file', '--gxditview'] },
  make: MAKE,
  npm: {
    first: /^(?:exec|x|explore)$/,
    long: ['--script-shell', '--node-options', '--globalconfig', '--userconfig', '--git'],
  },
  pnpm: { first: /^(?:exec|dlx)$/, long: ['--script-shell', '--node-options'] },
  yarn: { first: /^(?:exec|dlx|node)$/, long: ['--script-shell'] },
  zip: { words: /^-[a-zA-Z]*T/, long: ['--unzip-command', '--test'] },
  unzip: { words: /^-[a-zA-Z]*[PI]$/ },
  gdb: { words: /^-/ },
  lldb: { words: /^-/ },
  docker: { words: /^--config/ },
  openssl: { words: /^-(?:engine|provider)/ },
  curl: { words: /^-[a-zA-Z#]*K/, long: ['--config', '--engine'] },
  wget: { words: /^-[a-zA-Z]*e/, long: ['--use-askpass', '--config', '--execute'] },
  cpio: { words: /^-F/, long: ['--rsh-command', '--file'] },
  dd: { words: /^of=\/proc\// },
  nmap: { long: ['--script'] },
  pip: { long: ['--global-option', '--config-settings', '--python'] },
  nano: { words: /^-[a-zA-Z]*s/, long: ['--speller', '--formatter'] },
  nc: { words: /^-[a-zA-Z46]*[ec]/, long: ['--exec', '--sh-exec', '--lua-exec'] },
  socat: { words: /(?:^|:|,)(?:exec|system|shell)[:,]/i },
  psql: SQL,
  mysql: SQL,
  sqlite3: SQL,
  gh: { first: /^(?:alias|extension|ext)$/, words: /^!/, long: ['--shell'] },
  hg: { words: /^(?:-R|--rep|--cwd|alias)/, long: ['--config', '--config-file'] },
  svn: { long: ['--diff-cmd', '--diff3-cmd', '--editor-cmd', '--config-option', '--config-dir'] },
  fd: { words: /^-[a-zA-Z]*[xX]/, long: ['--exec', '--exec-batch'] },
  fzf: { long: ['--preview', '--bind', '--with-shell', '--listen'] },
  ag: PAGED,
  ack: PAGED,
  bat: PAGED,
  delta: PAGED,
  apt: { words: /^-[a-zA-Z]*[oc]/, long: ['--option', '--config-file'] },
  rpm: { words: /^-[a-zA-Z]*[ED]/, long: ['--eval', '--define', '--pipe', '--macros'] },
  go: { words: /^--?(?:exec|toolexec|modfile|overlay)/ },
  cargo: { long: ['--config'] },
  gcc: COMPILER,
  java: { words: /^-(?:XX:On|XX:Flags|agent|javaagent)|^@/ },
  ip: { words: /^(?:exec|-b.*|-force)$/ },
  aria2c: { words: /^--on-/ },
  jobs: { words: /^-\w*x/ },
} satisfies Record<string, Running>)

const OTHER_NAMES: readonly [RegExp, string][] = [
  [/^(?:vi|nvim|gvim|view|gview|rview|rvim|vimdiff|gvimdiff|nvimdiff|evim|vim\..+|pico)$/, 'vim'],
  [/^(?:g|bsd)tar$/, 'tar'],
  [/^(?:gmake|gnumake|remake|bmake)$/, 'make'],
  [/^(?:ncat|netcat|nc\..+)$/, 'nc'],
  [/^(?:zless|lesspipe)$/, 'less'],
  [/^ripgrep$/, 'rg'],
  [/^fdfind$/, 'fd'],
  [/^batcat$/, 'bat'],
  [/^g(?:sort|split|install|dd)$/, ''],
  [/^(?:apt-get|aptitude)$/, 'apt'],
  [/^pip[\d.]+$/, 'pip'],
  [/^(?:podman|nerdctl)$/, 'docker'],
  [/^(?:mariadb|mysqlsh)$/, 'mysql'],
  [/^(?:g\+\+|cc|c\+\+|clang|clang\+\+|gcc-[\d.]+|clang-[\d.]+)$/, 'gcc'],
]

/** The word that makes a program run hidden code, and why. */
export function execOption(program: string, rest: readonly Word[]): { word: string; reason: string } | undefined {
  const other = OTHER_NAMES.find(([pattern]) => pattern.test(program))
  const name = other ? other[1] || program.slice(1) : program
  const running = RUNNING[name]
  if (!running) return undefined
  const first = rest.find(({ text }) => !text.startsWith('-'))
  if (first && running.first?.test(first.text))
    return { word: first.text, reason: `${program} ${first.text} can run other programs` }
  const said = rest.find(
    ({ text }) => running.words?.test(text) || running.long?.some((option) => isLongOption(text, option)),
  )
  if (said) return { word: said.text, reason: `${program} ${said.text} can run other programs` }
  if (running === MAKE) {
    const set = rest.find(({ text }) => /^[^\s=-][^\s=]*=/.test(text) && !isPlainSetting(text))
    if (set) return { word: set.text, reason: `${program} may run what ${set.text} says` }
  }
  return mayBeOption(program, rest)
}

/** A word in the position of an option that is known only at run time. */
function mayBeOption(program: string, rest: readonly Word[]): { word: string; reason: string } | undefined {
  const end = rest.findIndex((word) => word.known && word.text === '--')
  const unknown = (end < 0 ? rest : rest.slice(0, end)).find((word, index) => {
    const before = rest[index - 1]
    const isValue = before?.known === true && /^-[^=]*$/.test(before.text)
    return !word.known && word.glob !== true && !isValue && /^"?[$`]/.test(word.text)
  })
  return unknown && { word: '', reason: `${unknown.text} may be an option with which ${program} runs other programs` }
}

/** Whether a word is this long option: in full, with its value, or abbreviated. */
function isLongOption(text: string, option: string): boolean {
  const [name = ''] = text.split('=')
  return name.length > 2 && name.startsWith('--') && option.startsWith(name)
}

/** A make variable that only sets an amount, a switch or a destination. */
function isPlainSetting(text: string): boolean {
  return /^(?:[^=]*=(?:[\d.]*|y|n|yes|no|on|off|true|false|debug|release)|(?:DESTDIR|PREFIX|VERSION|TAG|ENV|TARGET|ARCH|OS|PLATFORM|BUILD_TYPE|CONFIG|JOBS|NAME|TESTS?)=[\w.:@/+-]*)$/i.test(
    text,
  )
}

interface Found {
  word: string
  reason: string
}

/** Options before the command. */
const GLOBAL = /^(?:-c|-c.+|--config-env.*|--exec-path=.*|-p|--paginate)$/
const GLOBAL_WITH_VALUE = /^(?:-C|--git-dir|--work-tree|--namespace|--super-prefix|--attr-source)$/

/**
 * Commands that come with git and run only its own parts (and configured hooks, filters and helpers). Any other command
 * could be anything.
 */
const COMMANDS = new Set(
  `add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap
  check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column commit commit-graph
  commit-tree config count-objects describe diff diff-files diff-index diff-tree diff-pairs fetch fmt-merge-msg
  for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep gui hash-object help init interpret-trailers
  last-modified lfs log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file
  merge-tree mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id prune prune-packed pull
  push range-diff read-tree rebase reflog refs remote repack replace replay request-pull rerere reset restore rev-list
  rev-parse revert rm send-pack shortlog show show-branch show-index show-ref sparse-checkout stage stash status
  stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index update-ref var verify-commit
  verify-pack verify-tag version whatchanged worktree write-tree`.split(/\s+/),
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
/** Options above that these commands do not have: a word that looks like one of them is harmless. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  log: ['--exec'],
  'rev-parse': ANYWHERE,
  commit: ['--config'],
}
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

/** The first word that makes git run other programs, and why; `rest`: git's arguments. */
export function gitOption(rest: readonly Word[]): Found | undefined {
  let at = 0
  for (; rest[at]?.text.startsWith('-'); at += GLOBAL_WITH_VALUE.test(rest[at]!.text) ? 2 : 1)
    if (GLOBAL.test(rest[at]!.text) || isLongOption(rest[at]!.text, '--config-env'))
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
  return ANYWHERE.some((option) => isLongOption(text, option) && !HARMLESS[command]?.includes(option))
}

function isStrategy(command: string, words: readonly Word[], index: number): boolean {
  if (!/^(?:merge|pull|rebase|cherry-pick|revert)$/.test(command)) return false
  const { text } = words[index]!
  const value = /^-s(.+)$/.exec(text)?.[1] ?? /^--str?a?t?e?g?y?=(.*)$/.exec(text)?.[1]
  if (value !== undefined) return !STRATEGIES.test(value)
  return /^(?:-s|--strategy)$/.test(text) && !STRATEGIES.test(words[index + 1]?.text ?? '')
}

/** A changed setting, unless it is known to make git run nothing. */
export function changedSetting(words: readonly Word[]): Word | undefined {
  const editing = words.find(({ text }) =>
    /^(?:-e|--edit|edit|--rename-section|--remove-section|rename-section)$/.test(text),
  )
  if (editing) return editing
  if (words.some(({ text }) => /^(?:-l|--list|list|get|--get.*|--unset.*|unset)$/.test(text))) return undefined
  const named = words.filter((word) => !word.text.startsWith('-') && word.text !== 'set')
  const key = named.find((word) => !word.known || word.text.includes('.'))
  if (!key || named.length < 2) return undefined
  return key.known && PLAIN_KEY.test(key.text) ? undefined : key
}
