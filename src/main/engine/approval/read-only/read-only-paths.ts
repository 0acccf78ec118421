import { onlyCompares } from '../shell/shell-variables'
import type { Word } from '../../permission/shell-syntax'
import { FILE_PROGRAMS, findReads } from './file-programs'
import { gitReads } from './git-programs'
import { readPaths, type Program, type ReadPath, has, options } from './program-grammar'
import { TEXT_PROGRAMS } from './text-programs'

const NOTHING: Program = { options: options('') }
const NAMES: Program = { options: options('-a -t -p -P -f -b -m -s'), operands: ['text'] }
const COLUMNS =
  /^(?:(?:pid|ppid|pgid|comm|stat|state|etime|etimes|time|user|rss|vsz|pcpu|pmem|%cpu|%mem|ni|pri|tty|lstart|start)=?,?)+$/

/** Programs that report on the system, and builtins that change only the shell that runs them. */
const SYSTEM_PROGRAMS: Readonly<Record<string, Program>> = {
  pwd: { options: options('-L -P') },
  cd: {
    options: options('-L -P'),
    operands: ['file'],
    most: 1,
    reads: ({ operands }) =>
      operands.some(({ text, glob }) => text === '-' || glob)
        ? undefined
        : operands.map((word) => ({ ...word, covers: 'file' })),
  },
  whoami: NOTHING,
  // The current user only; looking up other users' names could use the network.
  id: { options: options('-u -g -G -n -r --user --group --groups --name --real') },
  groups: NOTHING,
  uname: {
    options: options(
      '-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --machine --operating-system',
    ),
  },
  // Any option could look up the computer's name over the network.
  hostname: NOTHING,
  arch: NOTHING,
  nproc: { options: options('--all --ignore=number') },
  uptime: { options: options('-p -s --pretty --since') },
  date: {
    options: options(
      '-u -R -I[text] -d=when -r=file --utc --universal --rfc-email ' +
        '--iso-8601[=text] --rfc-3339=text --date=when --reference=file',
      {
        // A TZ time zone would be read from a file.
        when: /^(?![\s\S]*TZ)/,
      },
    ),
    // An operand without a leading + sets the clock.
    operands: [/^\+/],
    most: 1,
  },
  sleep: { options: options(''), operands: [/^\d+(?:\.\d+)?[smh]?$/], least: 1 },
  type: NAMES,
  which: { options: options('-a'), operands: ['text'] },
  whereis: { options: options('-b -m -s'), operands: ['text'] },
  df: {
    options: options(
      '-a -h -H -i -k -l -P -T -t=text -x=text --all --human-readable --si ' +
        '--inodes --local --portability --print-type --total --output[=text]',
    ),
    operands: ['file'],
  },
  free: { options: options('-b -k -m -g -h -l -t -w --bytes --kibi --mebi --gibi --human --lohi --total --wide --si') },
  // Arguments and environments of other users' processes may contain secrets; their names and numbers do not.
  ps: { options: options('-e -A -p=pids -o=columns', { pids: /^\d+(?:,\d+)*$/, columns: COLUMNS }) },
  lsof: {
    // Without -n, or with a host after -i, it looks up names over the network.
    options: options('-n -P -t -i[port] -s=state', {
      port: /^[46]?(?:TCP|UDP)?(?::\d+(?:[-,]\d+)*)?$/i,
      state: /^TCP:LISTEN$/,
    }),
    operands: [/^:\d+(?:[-,]\d+)*$/],
    most: 1,
    reads: (parsed) => {
      const [port] = parsed.operands
      if (!has(parsed, '-n') || !has(parsed, '-i')) return undefined
      return !port || (port.known && /^:\d+(?:[-,]\d+)*$/.test(port.text)) ? [] : undefined
    },
  },
}

/** Programs and builtins that print their arguments, or nothing: safe with any arguments. */
const PRINTS = new Set([
  ':',
  'true',
  'false',
  'echo',
  'basename',
  'dirname',
  'seq',
  'exit',
  'return',
  'break',
  'continue',
])
const PROGRAMS: Readonly<Record<string, Program>> = Object.assign(
  Object.create(null),
  TEXT_PROGRAMS,
  FILE_PROGRAMS,
  SYSTEM_PROGRAMS,
)
/** Programs whose arguments are not options and operands. */
const OWN_GRAMMAR: Readonly<Record<string, (rest: readonly Word[]) => ReadPath[] | undefined>> = Object.assign(
  Object.create(null),
  {
    printf: printed,
    set: changesOptions,
    command: commandLookup,
    find: findReads,
    git: gitReads,
    test: (rest: readonly Word[]) => (onlyCompares('test', rest) ? [] : undefined),
    '[': (rest: readonly Word[]) => (onlyCompares('[', rest) ? [] : undefined),
    '[[': (rest: readonly Word[]) => (onlyCompares('[[', rest) ? [] : undefined),
  },
)

/** Whether some commands of this program need no approval. */
export function isReadOnlyProgram(program: string): boolean {
  return PRINTS.has(program) || program in PROGRAMS || program in OWN_GRAMMAR
}

/** The paths a read-only command reads, and how much of each; undefined when the command is not known to only read. */
export function readOnlyPaths(words: readonly Word[]): ReadPath[] | undefined {
  const [first, ...rest] = words
  if (!first?.known) return undefined
  const name = first.text.replace(/^\/(?:usr\/)?bin\//, '')
  if (PRINTS.has(name)) return []
  const own = OWN_GRAMMAR[name]
  if (own) return own(rest)
  const program = PROGRAMS[name]
  const paths = program && readPaths(program, rest)
  return paths?.some((path) => path.glob && mayFindSecrets(path.text)) ? undefined : paths
}

/** `printf FORMAT …` prints; `-v` and `%n` assign a variable. */
function printed(rest: readonly Word[]): ReadPath[] | undefined {
  const [format] = rest[0]?.known && rest[0].text === '--' ? rest.slice(1) : rest
  return format?.known && !/^-./.test(rest[0]!.text.replace(/^--$/, '')) && !/%[^A-Za-z%]*n/.test(format.text)
    ? []
    : undefined
}

/** `set -euo pipefail` and the like. */
function changesOptions(rest: readonly Word[]): ReadPath[] | undefined {
  const text = rest.map((word) => (word.known ? word.text : '$')).join(' ')
  return /^(?:[-+](?:[eux]+|[eux]*o (?:pipefail|errexit|nounset|xtrace))(?: |$))+$/.test(text) ? [] : undefined
}

/** `command -v NAME`; without the option, it runs a program, which is judged separately. */
function commandLookup([option, ...names]: readonly Word[]): ReadPath[] | undefined {
  return option && /^-[vV]$/.test(option.text) && names.every((name) => name.known && !name.text.startsWith('-'))
    ? []
    : undefined
}

/** Names of sensitive files that a pattern with a distinctive prefix may match. */
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
    // Without dotglob, a leading wildcard does not match names with a leading dot.
    const names = part.startsWith('.')
      ? SECRETS
      : SECRETS.filter((name) => !name.startsWith('.') && !part.startsWith('*'))
    return names.some((name) => mayMatch(part.toLowerCase(), name))
  })
}

/**
 * Whether a name may match a pattern; every wildcard may match any text, and the text between must appear in that
 * order.
 */
function mayMatch(pattern: string, name: string): boolean {
  const pieces = pattern.split(/[*?]|\[[^\]]*\]/)
  const last = pieces.at(-1)!
  if (!name.startsWith(pieces[0]!) || !name.endsWith(last)) return false
  let at = 0
  for (const piece of pieces) {
    const found = name.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return true
}
