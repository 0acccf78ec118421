import type { Word } from './shell-syntax'

/** Options (and other words) with which a program runs another one, or code, that the rules cannot see. */
interface Running {
  /** Long options, without a value; shortened ones count too. */
  long?: readonly string[]
  /** The first word that is no option. */
  first?: RegExp
  /** Words as a whole. */
  words?: RegExp
}

const VIM: Running = { words: /^(?:\+|-(?:c|s|S|u|U|i|w|W|l|e[sx]?$|V)|--(?:cmd|headless|startuptime|remote|luamod))/ }
const COMPILER: Running = { words: /^-(?:wrapper|fplugin|specs|B|fuse-ld|Xlinker|load|Xclang)/ }
const SQL: Running = { words: /\\!|\\[ogwei]|\bprogram\b|\.(?:shell|system|load|output|once|read|import|open)\b|\bsystem\b/i }
const PAGED: Running = { long: ['--pager'] }
const MAKE: Running = { words: /^-[bBdehikKLmnpqrRsStvwW]*[fEI]/, long: ['--file', '--makefile', '--eval', '--include-dir'] }

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
  npm: { first: /^(?:exec|x|explore)$/, long: ['--script-shell', '--node-options', '--globalconfig', '--userconfig', '--git'] },
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

/** The word with which a program runs what cannot be seen, and why. */
export function runningOption(program: string, rest: readonly Word[]): { word: string; reason: string } | undefined {
  const other = OTHER_NAMES.find(([pattern]) => pattern.test(program))
  const name = other ? other[1] || program.slice(1) : program
  const running = RUNNING[name]
  if (!running) return undefined
  const first = rest.find(({ text }) => !text.startsWith('-'))
  if (first && running.first?.test(first.text)) return { word: first.text, reason: `${program} ${first.text} can run other programs` }
  const said = rest.find(({ text }) => running.words?.test(text) || running.long?.some((option) => isLong(text, option)))
  if (said) return { word: said.text, reason: `${program} ${said.text} can run other programs` }
  if (running === MAKE) {
    const set = rest.find(({ text }) => /^[^\s=-][^\s=]*=/.test(text) && !isPlainSetting(text))
    if (set) return { word: set.text, reason: `${program} may run what ${set.text} says` }
  }
  return mayBeOption(program, rest)
}

/** A word that is only known when the command runs, where an option may stand. */
export function mayBeOption(program: string, rest: readonly Word[]): { word: string; reason: string } | undefined {
  const end = rest.findIndex((word) => word.known && word.text === '--')
  const unknown = (end < 0 ? rest : rest.slice(0, end)).find((word, index) => {
    const before = rest[index - 1]
    const isValue = before?.known === true && /^-[^=]*$/.test(before.text)
    return !word.known && word.glob !== true && !isValue && /^"?[$`]/.test(word.text)
  })
  return unknown && { word: '', reason: `${unknown.text} may be an option with which ${program} runs other programs` }
}

/** Whether a word says this long option: as a whole, with its value, or cut short. */
export function isLong(text: string, option: string): boolean {
  const [name = ''] = text.split('=')
  return name.length > 2 && name.startsWith('--') && option.startsWith(name)
}

/** A variable of make that only says how much, whether, or where to. */
function isPlainSetting(text: string): boolean {
  return /^(?:[^=]*=(?:[\d.]*|y|n|yes|no|on|off|true|false|debug|release)|(?:DESTDIR|PREFIX|VERSION|TAG|ENV|TARGET|ARCH|OS|PLATFORM|BUILD_TYPE|CONFIG|JOBS|NAME|TESTS?)=[\w.:@/+-]*)$/i.test(
    text,
  )
}
