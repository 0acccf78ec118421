import { has, options, type Program } from './grammar'

const NOTHING: Program = { options: options('') }
const NAMES: Program = { options: options('-a -t -p -P -f -b -m -s'), operands: ['text'] }
const COLUMNS = /^(?:(?:pid|ppid|pgid|comm|stat|state|etime|etimes|time|user|rss|vsz|pcpu|pmem|%cpu|%mem|ni|pri|tty|lstart|start)=?,?)+$/

/** Programs that tell about the system, and builtins that change nothing but the shell that runs them. */
export const SYSTEM_PROGRAMS: Readonly<Record<string, Program>> = {
  pwd: { options: options('-L -P') },
  cd: {
    options: options('-L -P'),
    operands: ['file'],
    most: 1,
    reads: ({ operands }) =>
      operands.some(({ text, glob }) => text === '-' || glob) ? undefined : operands.map((word) => ({ ...word, covers: 'file' })),
  },
  whoami: NOTHING,
  // Of the user who runs it; names of others are looked up, perhaps over the network.
  id: { options: options('-u -g -G -n -r --user --group --groups --name --real') },
  groups: NOTHING,
  uname: { options: options('-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --machine --operating-system') },
  // Any option may look up the name of the computer in the network.
  hostname: NOTHING,
  arch: NOTHING,
  nproc: { options: options('--all --ignore=number') },
  uptime: { options: options('-p -s --pretty --since') },
  date: {
    options: options(
      '-u -R -I[text] -d=when -r=file --utc --universal --rfc-email --iso-8601[=text] --rfc-3339=text --date=when --reference=file',
      {
        // A time zone in it would be read from a file.
        when: /^(?![\s\S]*TZ)/,
      },
    ),
    // An operand that does not begin with + sets the clock.
    operands: [/^\+/],
    most: 1,
  },
  sleep: { options: options(''), operands: [/^\d+(?:\.\d+)?[smh]?$/], least: 1 },
  type: NAMES,
  which: { options: options('-a'), operands: ['text'] },
  whereis: { options: options('-b -m -s'), operands: ['text'] },
  df: {
    options: options(
      '-a -h -H -i -k -l -P -T -t=text -x=text --all --human-readable --si --inodes --local --portability --print-type --total --output[=text]',
    ),
    operands: ['file'],
  },
  free: { options: options('-b -k -m -g -h -l -t -w --bytes --kibi --mebi --gibi --human --lohi --total --wide --si') },
  // The words and the environment of other users' processes may hold secrets; their names and numbers do not.
  ps: { options: options('-e -A -p=pids -o=columns', { pids: /^\d+(?:,\d+)*$/, columns: COLUMNS }) },
  lsof: {
    // Without -n it looks up names in the network, and with a host after -i, too.
    options: options('-n -P -t -i[port] -s=state', { port: /^[46]?(?:TCP|UDP)?(?::\d+(?:[-,]\d+)*)?$/i, state: /^TCP:LISTEN$/ }),
    operands: [/^:\d+(?:[-,]\d+)*$/],
    most: 1,
    reads: (parsed) => {
      const [port] = parsed.operands
      if (!has(parsed, '-n') || !has(parsed, '-i')) return undefined
      return !port || (port.known && /^:\d+(?:[-,]\d+)*$/.test(port.text)) ? [] : undefined
    },
  },
}
