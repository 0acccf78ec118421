import { onlyCompares } from './only-compares'
import type { Word } from './shell-syntax'

/** What is known of a command that only reads. Options not named by `but` are fine. */
interface ReadOnly {
  /** Options (whole words; a trailing `*` for any ending) that make it do more. Short ones are found in clusters too. */
  but?: readonly string[]
  /** The only options it may have; for programs with many that do more. */
  only?: RegExp
  /** First words it may have, as `git log`; each with what else must not be there. */
  with?: Readonly<Record<string, ReadOnly>>
  /** Most words that are not options; more are targets. */
  most?: number
  /** Words that are no paths: a pattern, a program text, anything printed. */
  words?: 'first' | 'all'
  /** Nothing that can be written there does harm, so words may be unknown. */
  anything?: true
}

const READ: ReadOnly = {}
const PRINTS: ReadOnly = { words: 'all', anything: true }
const LIST: ReadOnly = {
  only: /^-{1,2}(?:l|list|a|all|r|remotes|v|vv|verbose|merged|no-merged|contains|show-current|sort=.*|format=.*|column|n\d*)$/,
  most: 0,
}
const GIT_LOG: ReadOnly = { but: ['--output*', '--ext-diff', '--textconv', '-O*', '--open-files-in-pager*', '--no-index', '--paginate'] }

const GIT: Readonly<Record<string, ReadOnly>> = {
  status: READ,
  log: GIT_LOG,
  show: GIT_LOG,
  diff: GIT_LOG,
  'rev-parse': READ,
  'rev-list': READ,
  'ls-files': READ,
  'ls-tree': READ,
  'merge-base': READ,
  'cat-file': { but: ['--textconv', '--filters'] },
  'name-rev': READ,
  describe: READ,
  blame: { but: ['--textconv', '--contents*'] },
  annotate: { but: ['--textconv', '--contents*'] },
  shortlog: { but: ['--output*'] },
  'diff-tree': GIT_LOG,
  'for-each-ref': READ,
  'show-ref': { but: ['--exclude-existing*'] },
  grep: { but: ['-O*', '--open-files-in-pager*', '--ext-grep', '--no-index', '--textconv', '-f*'], words: 'first' },
  'count-objects': READ,
  'check-ignore': READ,
  branch: LIST,
  tag: LIST,
  stash: { with: { list: READ } },
  worktree: { with: { list: READ } },
  remote: { only: /^(?:-v|--verbose)$/, most: 0 },
  reflog: { only: /^(?:-n|-\d+|--oneline|-n\d+)$/, most: 1, with: { show: GIT_LOG } },
  version: READ,
}

/** Commands that only read, with the options that are fine: these need no approval in any mode, as long as their paths do not. */
export const READ_ONLY_COMMANDS: Readonly<Record<string, ReadOnly>> = Object.assign(Object.create(null), {
  ':': PRINTS,
  true: PRINTS,
  false: PRINTS,
  echo: PRINTS,
  printf: { but: ['-v*'], words: 'all' },
  pwd: { only: /^-[LP]$/, most: 0 },
  cd: { most: 1, only: /^-[LP]$/ },
  whoami: READ,
  id: READ,
  groups: READ,
  uname: READ,
  hostname: { only: /^-[fsiIAd]$/, most: 0 },
  arch: READ,
  nproc: READ,
  uptime: READ,
  date: { only: /^(?:-u|-R|-I.*|--utc|--iso-8601.*|--rfc-.*|-d.*|--date.*)$/, words: 'all', most: 2 },
  sleep: READ,
  type: READ,
  command: { only: /^-[vV]$/, words: 'all' },
  which: READ,
  whereis: READ,
  basename: PRINTS,
  dirname: PRINTS,
  seq: PRINTS,
  exit: { words: 'all' },
  return: { words: 'all' },
  break: { words: 'all' },
  continue: { words: 'all' },
  set: { only: /^[-+](?:[euxo]+|[euo]*pipefail)$/, words: 'all', most: 1 },
  test: { but: ['-v'], words: 'all' },
  '[': { but: ['-v'], words: 'all' },
  '[[': { but: ['-v'], words: 'all' },
  ls: READ,
  dir: READ,
  cat: READ,
  tac: READ,
  head: READ,
  tail: READ,
  nl: READ,
  wc: { but: ['--files0-from*'] },
  cut: READ,
  paste: READ,
  tr: { words: 'all' },
  fold: READ,
  fmt: READ,
  rev: READ,
  column: READ,
  expand: READ,
  unexpand: READ,
  comm: READ,
  cmp: READ,
  diff: { but: ['--to-file*', '--from-file*', '-l', '--paginate'] },
  sort: { but: ['-o*', '--output*', '--compress-program*', '-T*', '--temporary-directory*', '--files0-from*'] },
  uniq: { most: 1 },
  grep: { but: ['-f*', '--file*'], words: 'first' },
  egrep: { but: ['-f*', '--file*'], words: 'first' },
  fgrep: { but: ['-f*', '--file*'], words: 'first' },
  rg: { but: ['--pre*', '--hostname-bin*', '-f*', '--file*', '-z', '--search-zip'], words: 'first' },
  sed: { only: /^(?:-n|-E|-r|-nE|-nr|-En|-rn|--quiet|--silent)$/, words: 'first' },
  find: { but: ['-exec', '-execdir', '-ok', '-okdir', '-delete', '-fprint*', '-fls', '-files0-from*'] },
  tree: { but: ['-o*', '--output*', '-R', '--fromfile', '--fromtabfile'] },
  stat: READ,
  file: { but: ['-C*', '--compile', '-m*', '--magic-file*', '-f*', '--files-from*', '-z', '-Z', '--uncompress*'] },
  du: { but: ['--files0-from*', '-X*', '--exclude-from*'] },
  df: READ,
  realpath: READ,
  readlink: READ,
  md5sum: READ,
  sha1sum: READ,
  sha256sum: READ,
  sha512sum: READ,
  cksum: READ,
  b2sum: READ,
  od: READ,
  hexdump: { but: ['-f*'] },
  xxd: { but: ['-r*', '--revert'], most: 1 },
  strings: READ,
  jq: { but: ['-f*', '--from-file*', '-L*', '--slurpfile*', '--rawfile*', '--argfile*', 'env', '$ENV*'], words: 'first' },
  ps: { but: ['e*'] },
  free: READ,
  lsof: { only: /^-[inPtp]+\S*$/ },
  git: { with: GIT },
} satisfies Record<string, ReadOnly>)

/** Scripts of `sed -n` that only print: `1,20p`, `/a b/p`, `$=`. */
const SED_PRINTS = /^(?:(?:\d+|\$|\/[^/\\]*\/)(?:,(?:\d+|\$|\/[^/\\]*\/))?)?[p=](?:;(?:(?:\d+|\$)(?:,(?:\d+|\$))?)?[p=q])*$/

/** What a read-only command reads: the words that can be paths; undefined when it is not known to only read. */
export function readOnlyPaths(words: readonly Word[]): Word[] | undefined {
  const [program, ...rest] = words
  if (!program?.known) return undefined
  if (/^(?:test|\[\[?)$/.test(program.text) && onlyCompares(program.text, rest)) return []
  const spec = READ_ONLY_COMMANDS[program.text.replace(/^\/(?:usr\/)?bin\//, '')]
  return spec && check(spec, rest, program.text)
}

function check(spec: ReadOnly, rest: readonly Word[], name: string): Word[] | undefined {
  if (spec.anything) return []
  const loose = (word: Word, index: number): boolean =>
    // A name that a glob finds could be an option.
    word.glob === true && (/^[\w./~]/.test(word.text) || rest[index - 1]?.text === '--' || !(spec.but ?? spec.only ?? spec.with))
  if (rest.some((word, index) => !word.known && !loose(word, index))) return undefined
  if (rest.some((word) => word.glob && mayFindSecrets(word.text))) return undefined
  const [first] = rest
  const sub = first && spec.with && Object.hasOwn(spec.with, first.text) ? spec.with[first.text] : undefined
  if (sub) return check(sub, rest.slice(1), `${name} ${first?.text}`)
  if (spec.with && name.endsWith('git')) return rest.length === 1 && first?.text === '--version' ? [] : undefined
  if (spec.with && spec.most === undefined) return undefined
  const end = rest.findIndex((word) => word.text === '--')
  const options = (end < 0 ? rest : rest.slice(0, end)).filter((word) => /^[-+]./.test(word.text))
  const operands = rest.filter((word) => word.text !== '--' && !options.includes(word))
  if (options.some(({ text }) => (spec.only ? !spec.only.test(text) : spec.but?.some((option) => isOption(text, option))))) return undefined
  if (spec.but?.some((option) => !option.startsWith('-') && operands.some((word) => matches(word.text, option)))) return undefined
  if (spec.most !== undefined && operands.length > spec.most) return undefined
  if (name === 'sed' && !(options.some((option) => /n|quiet|silent/.test(option.text)) && SED_PRINTS.test(operands[0]?.text ?? '')))
    return undefined
  const valued = options.flatMap((word) => {
    const value = /^--?[\w-]+=(.+)$/.exec(word.text)?.[1] ?? /^-[A-Za-z]([./~].*)$/.exec(word.text)?.[1]
    return value === undefined ? [] : [{ text: value, known: true }]
  })
  if (spec.words === 'all') return []
  const pattern = options.some(({ text }) => /^-[a-zA-Z]*e|^--(?:regexp|files)/.test(text))
  // `HEAD:path` names a file of a commit.
  if (name.startsWith('git'))
    valued.push(...operands.flatMap(({ text }) => (text.includes(':') ? [{ text: text.slice(text.indexOf(':') + 1), known: true }] : [])))
  return [...valued, ...(spec.words === 'first' && !pattern ? operands.slice(1) : operands)]
}

/** Names of sensitive files that a pattern with a beginning of its own may be meant to find. */
const SECRETS = [
  '.env',
  '.env.local',
  '.env.production',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
  'credentials',
  'credentials.json',
  '.ssh',
  '.aws',
  '.gcp',
]

function mayFindSecrets(glob: string): boolean {
  if (/[@+!?*]\(/.test(glob)) return true
  return glob.split('/').some((part) => {
    if (part === '' || !/[*?[]/.test(part)) return false
    // Without dotglob a leading wildcard finds no names that begin with a dot.
    const names = part.startsWith('.') ? SECRETS : SECRETS.filter((name) => !name.startsWith('.') && !part.startsWith('*'))
    const expression = part.split(/[*?]|\[[^\]]*\]/).map((piece) => piece.replace(/[\\^$.|+()[\]{}?]/g, '\\$&'))
    return names.some((name) => new RegExp(`^${expression.join('.*')}$`, 'i').test(name))
  })
}

function matches(text: string, option: string): boolean {
  return option.endsWith('*') ? text.startsWith(option.slice(0, -1)) : text === option
}

/** Long options may be cut short as far as they stay clear; short ones may stand together. */
function isOption(text: string, option: string): boolean {
  if (matches(text, option)) return true
  const bare = option.replace(/\*$/, '')
  if (bare.startsWith('--')) return text.startsWith('--') && text.length > 3 && bare.startsWith(text.split('=')[0]!)
  if (bare.length === 2 && /^-[a-zA-Z]/.test(text)) return text.slice(1).split('=')[0]!.includes(bare[1]!)
  return false
}
