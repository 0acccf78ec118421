import type { Word } from './shell-syntax'
import { programOf } from './unwrap'

/** Options (and first words) with which a program runs another one, or code, that the rules cannot see. */
const RUNS: Readonly<Record<string, RegExp>> = Object.assign(Object.create(null), {
  tar: /^(?:--checkpoint-action.*|--to-command.*|-I.*|--use-compress-program.*|-[a-zA-Z]*F.*|--info-script.*|--new-volume-script.*|--rsh-command.*|--rmt-command.*)$/,
  rg: /^--(?:pre|hostname-bin)(?:=.*)?$/,
  ripgrep: /^--(?:pre|hostname-bin)(?:=.*)?$/,
  sort: /^--compress-prog.*$/,
  rsync: /^(?:-[a-zA-Z]*e.*|--rsh.*|--rsync-path.*)$/,
  ssh: /^(?:-o.*|-F.*|-[a-zA-Z]*o)$/,
  scp: /^(?:-S.*|-o.*|-F.*)$/,
  sftp: /^(?:-S.*|-o.*|-F.*|-b.*)$/,
  vim: /^(?:-c.*|\+.*|--cmd.*|-s|-S|-es|-u)$/,
  vi: /^(?:-c.*|\+.*|--cmd.*|-s|-S|-u)$/,
  nvim: /^(?:-c.*|\+.*|--cmd.*|-s|-S|-l|-u|--headless)$/,
  less: /^(?:\+.*|-.*)$/,
  man: /^(?:-P.*|--pager.*|-H.*|--html.*)$/,
  make: /^(?:--eval.*|SHELL=.*|-f-?|-E.*)$/,
  npm: /^(?:--script-shell.*|--node-options.*|exec|x|explore)$/,
  zip: /^(?:-T{1,2}.*|--unzip-command.*)$/,
  unzip: /^-[a-zA-Z]*[PI]$/,
  gdb: /^-.*$/,
  docker: /^--config.*$/,
  openssl: /^-engine$/,
  curl: /^(?:-K.*|--config.*)$/,
  wget: /^(?:--use-askpass.*|--config.*|-e.*|--execute.*)$/,
  cpio: /^(?:--rsh-command.*|-F.*)$/,
  ed: /^.*$/,
  ex: /^.*$/,
  sed: /^(?:-[a-zA-Z]*f.*|--file.*)$/,
  dd: /^of=\/proc\/.*$/,
  nmap: /^--script.*$/,
  pip: /^--global-option.*$/,
} satisfies Record<string, RegExp>)

/** Before git's subcommand, and (per subcommand) after it. */
const GIT_GLOBAL = /^(?:-c|-c.+|--config-env.*|--exec-path=.*|-p|--paginate)$/
const GIT_ANY =
  /^(?:--upload-pack.*|--receive-pack.*|--upload-archive.*|--exec=.*|--extcmd.*|--open-files-in-pager.*|--ext-diff|--textconv|--template.*|ext::.*|--config=.*)$/
const GIT_COMMANDS: Readonly<Record<string, RegExp>> = Object.assign(Object.create(null), {
  bisect: /^run$/,
  'filter-branch': /^.*$/,
  submodule: /^foreach$/,
  difftool: /^.*$/,
  mergetool: /^.*$/,
  config:
    /^(?:alias\..*|core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy).*|.*\.(?:cmd|command|textconv|clean|smudge|process|driver|helper|external|program|path|sshcommand)|-e|--edit|edit)$/i,
  clone: /^(?:-c.*|--config.*|-u.*)$/,
  fetch: /^-u.+$/,
  rebase: /^(?:-x.*|--exec.*|-i|--interactive)$/,
  grep: /^-O.*$/,
  archive: /^--exec.*$/,
  push: /^--exec.*$/,
  'ls-remote': /^--exec.*$/,
  'send-email': /^.*$/,
  instaweb: /^.*$/,
  daemon: /^.*$/,
} satisfies Record<string, RegExp>)

const INTERPRETERS: [name: RegExp, code: RegExp][] = [
  [/^python[\d.]*$|^pypy[\d.]*$/, /^-[a-zA-Z]*c/],
  [/^(?:perl|ruby)[\d.]*$/, /^-[a-zA-Z]*[eEnpi]/],
  [/^(?:node|nodejs|bun|deno)$/, /^(?:-e|-p|-pe|-r|--eval.*|--print.*|--require.*|--import.*|eval|repl|x|--loader.*)$/],
  [/^php[\d.]*$/, /^-[rBRE]/],
  [/^(?:lua|luajit)[\d.]*$/, /^-e/],
  [/^(?:osascript|tclsh|R|Rscript|ghci|julia|elixir|iex|erl|scala|groovy|jshell|emacs|irb|pry)$/, /^-/],
]

/** Environment variables that decide which programs run, or what is put into them. */
export const STEERING =
  /^(?:PATH|IFS|ENV|HOME|SHELL|SHELLOPTS|BASHOPTS|BASH_.*|LD_.*|DYLD_.*|GIT_.*|SSH_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|PS[0-4]|PROMPT_COMMAND|CDPATH|GLOBIGNORE|PYTHON.*|NODE_(?!ENV$).*|npm_.*|NPM_.*|PERL.*|RUBY.*|JAVA_.*|_JAVA_.*|JDK_.*|LESS.*|MAN.*|TAR_.*|RSYNC_.*|GCONV_PATH|LOCPATH|NLSPATH|TERMINFO.*|MAKEFLAGS|MFLAGS|RIPGREP_.*|.*PRELOAD.*|XDG_.*|CC|CXX|RUSTC.*|CARGO_.*|GOFLAGS|EXINIT|VIMINIT|AWK.*|GAWK.*|POSIXLY_CORRECT|TMPDIR|OPENSSL_.*)$/

/** Why a part of what this command runs cannot be seen in its words, or undefined; `word` is the one that says so. */
export function hiddenOption(words: readonly Word[]): { word: string; reason: string } | undefined {
  const program = programOf(words)
  const rest = words.slice(1)
  const code = INTERPRETERS.find(([name]) => name.test(program))
  if (code) {
    const option = rest.find((word) => code[1].test(word.text))
    if (option) return { word: option.text, reason: `${program} runs code that rules cannot see` }
    if (rest.length === 0 || rest[0]?.text === '-') return { word: '', reason: `${program} runs its input` }
    return undefined
  }
  if (/^[gmn]?awk$|^mawk$/.test(program)) {
    const doubtful = rest.find(
      (word) => !word.known || /system|\||getline|^-[fEle]|^--(?:file|exec|load|source|include)|@|>/.test(word.text),
    )
    return doubtful && { word: doubtful.text, reason: `${program} can run commands and write files from its program` }
  }
  if (program === 'sed' || program === 'gsed') {
    const doubtful = sedScripts(rest).find((script) =>
      /(?:^|[;{}\n/!\d$,~|#])\s*[eWwr](?:\s|$)|[/|#,@!_:][gpiImM\d]*[ew][gpiImM\d]*\s*(?:$|[;}\n\s])/.test(script),
    )
    if (doubtful !== undefined) return { word: doubtful, reason: `${program} can run commands and write files from its script` }
  }
  if (program === 'git') return gitOption(rest)
  const pattern = RUNS[program]
  const option = pattern && rest.find((word) => pattern.test(word.text))
  return option && { word: option.text, reason: `${program} ${option.text} can run other programs` }
}

function gitOption(rest: readonly Word[]): { word: string; reason: string } | undefined {
  let at = 0
  for (; rest[at]?.text.startsWith('-'); at += /^(?:-C|--git-dir|--work-tree|--namespace)$/.test(rest[at]!.text) ? 2 : 1)
    if (GIT_GLOBAL.test(rest[at]!.text)) return { word: rest[at]!.text, reason: `git ${rest[at]!.text} can make git run other programs` }
  const command = rest[at]
  if (command && !command.known) return { word: '', reason: 'which command of git runs is only known when it runs' }
  const pattern = GIT_COMMANDS[command?.text ?? '']
  const option = rest.slice(at + 1).find((word) => GIT_ANY.test(word.text) || pattern?.test(word.text))
  return option && { word: option.text, reason: `git ${command?.text} ${option.text} can run other programs` }
}

function sedScripts(words: readonly Word[]): string[] {
  const given = words.flatMap((word, index) =>
    /^-[a-zA-Z]*e$|^--expression$/.test(word.text)
      ? [words[index + 1]?.text ?? '']
      : /^(?:-e|--expression=)./.test(word.text)
        ? [word.text.replace(/^(?:-e|--expression=)/, '')]
        : [],
  )
  const first = words.find((word) => !word.text.startsWith('-'))
  return given.length > 0 ? given : first ? [first.text] : []
}
