import type { Segment } from '../../permission/shell-syntax'

/** What a segment starts besides its own program. */
export interface Unwrapped {
  /** Commands it starts, as words. `at`: the index in the segment's own words where they start. */
  inner: { segment: Segment; at: number }[]
  /** A script that it passes to a shell. */
  script?: string
  /** The name of that shell; absent: the shell that runs the segment itself. */
  shell?: string
  hidden?: string
  /** It does nothing besides `inner` or `script`. */
  neutral: boolean
}

export const NOTHING: Unwrapped = { inner: [], neutral: false }

export function hiddenResult(why: string): Unwrapped {
  return { inner: [], hidden: why, neutral: false }
}

/**
 * The syntax of a program that starts another one: its options, and the words before the other program. An option not
 * listed here is not understood.
 */
export interface Wrapper {
  /** Short options without a value, as letters. */
  flags?: string
  /** Short options with a value, as letters. */
  short?: string
  /** Short options whose value, if any, is in the same word. */
  attached?: string
  /** Options like `-5`. */
  numbers?: boolean
  /** Long options without a separate value. */
  longFlags?: readonly string[]
  /** Long options with a value (as the next word when not written with `=`). */
  long?: readonly string[]
  /** Options that make it do something hidden. */
  hidden?: readonly string[]
  /** Options that are not followed by a program: it only prints information. */
  asks?: readonly string[]
  /** Words before the program: a duration, a folder. */
  before?: number
  /** `NAME=value` may precede the program. */
  assigns?: boolean
  /** It adds nothing to what the inner program does, so only the inner program is judged. */
  neutral?: boolean
}

const HELP = ['--help', '--version']
const NODE_RUNNER: Wrapper = {
  flags: 'yq',
  short: 'pw',
  longFlags: ['--yes', '--no', '--no-install', '--quiet', '--bun'],
  long: ['--package'],
  asks: HELP,
}

export const WRAPPERS: Readonly<Record<string, Wrapper>> = Object.assign(Object.create(null), {
  env: {
    flags: 'iv0',
    short: 'ua',
    longFlags: [
      '--ignore-environment',
      '--null',
      '--debug',
      '--block-signal',
      '--default-signal',
      '--ignore-signal',
      '--list-signal-handling',
    ],
    long: ['--unset', '--argv0'],
    hidden: ['-S', '--split-string', '-C', '--chdir'],
    asks: HELP,
    assigns: true,
    neutral: true,
  },
  sudo: {
    flags: 'AbBEHKknNPSv',
    short: 'CDghpRrTtUu',
    longFlags: [
      '--askpass',
      '--background',
      '--preserve-env',
      '--set-home',
      '--non-interactive',
      '--stdin',
      '--preserve-groups',
      '--bell',
    ],
    long: [
      '--user',
      '--group',
      '--host',
      '--prompt',
      '--chdir',
      '--chroot',
      '--role',
      '--type',
      '--close-from',
      '--command-timeout',
    ],
    hidden: ['-s', '-i', '-e', '--shell', '--login', '--edit'],
    asks: [...HELP, '-l', '--list', '-V', '-v', '--validate', '-K', '-k'],
    assigns: true,
  },
  doas: { flags: 'Ln', short: 'uC', hidden: ['-s'], assigns: true },
  pkexec: { longFlags: ['--disable-internal-agent', '--keep-cwd'], long: ['--user'], asks: HELP },
  run0: { short: 'uDg', long: ['--user', '--chdir', '--group'], asks: HELP },
  nohup: { neutral: true, asks: HELP },
  nice: { short: 'n', long: ['--adjustment'], numbers: true, neutral: true, asks: HELP },
  ionice: {
    flags: 't',
    short: 'cnpPu',
    long: ['--class', '--classdata'],
    longFlags: ['--ignore'],
    neutral: true,
    asks: HELP,
  },
  time: {
    flags: 'pvaqV',
    short: 'f',
    longFlags: ['--verbose', '--portability', '--quiet'],
    long: ['--format'],
    hidden: ['-o', '--output'],
    neutral: true,
  },
  timeout: {
    flags: 'fpv',
    short: 'sk',
    longFlags: ['--foreground', '--preserve-status', '--verbose'],
    long: ['--signal', '--kill-after'],
    before: 1,
    neutral: true,
    asks: HELP,
  },
  gtimeout: {
    short: 'sk',
    longFlags: ['--foreground', '--preserve-status'],
    long: ['--signal', '--kill-after'],
    before: 1,
    neutral: true,
  },
  command: { flags: 'p', asks: ['-v', '-V'], neutral: true },
  builtin: { neutral: true },
  exec: { flags: 'cl', short: 'a', neutral: true },
  stdbuf: { short: 'ioe', long: ['--input', '--output', '--error'], neutral: true, asks: HELP },
  setsid: { flags: 'cfw', longFlags: ['--ctty', '--fork', '--wait'], neutral: true, asks: HELP },
  chroot: { longFlags: ['--skip-chdir', '--userspec', '--groups'], before: 1, asks: HELP },
  taskset: { flags: 'ac', longFlags: ['--all-tasks', '--cpu-list'], before: 1, asks: HELP },
  chrt: { flags: 'abforiRv', before: 1, asks: HELP },
  strace: { flags: 'cCdDfFhiknqrtTvwxyYzZ', short: 'abEeIOPpSsuX', hidden: ['-o'], asks: ['-V', ...HELP] },
  ltrace: { flags: 'bcCfhiLrStTV', short: 'aADeFlnpsuwxX', hidden: ['-o'], asks: HELP },
  caffeinate: { flags: 'dimsu', short: 'tw' },
  chronic: { flags: 'ev' },
  unbuffer: { flags: 'p' },
  busybox: { asks: ['--list', '--help', '--list-full'] },
  toybox: { asks: ['--help', '--long'] },
  npx: { ...NODE_RUNNER, hidden: ['-c', '--call'] },
  bunx: NODE_RUNNER,
  pnpx: { ...NODE_RUNNER, hidden: ['-c', '--shell-mode'] },
  xargs: {
    flags: '0oprtx',
    short: 'dEILnPsRJS',
    attached: 'eil',
    longFlags: [
      '--null',
      '--interactive',
      '--no-run-if-empty',
      '--verbose',
      '--exit',
      '--open-tty',
      '--show-limits',
      '--replace',
      '--max-lines',
      '--eof',
    ],
    long: ['--delimiter', '--max-args', '--max-procs', '--max-chars', '--process-slot-var'],
    // What it reads from a file could be a secret.
    hidden: ['-a', '--arg-file'],
    asks: HELP,
    neutral: true,
  },
} satisfies Record<string, Wrapper>)

export const SHELLS = new Set([
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'mksh',
  'ash',
  'fish',
  'rbash',
  'yash',
  'tcsh',
  'csh',
])

/** Programs that start other programs in ways that are not followed. */
const STARTERS = `parallel flock nsenter unshare systemd-run setpriv runuser entr noglob watch fakeroot fakechroot
  proot bwrap firejail xvfb-run dbus-run-session dbus-launch ssh-agent sg newgrp chpst softlimit setuidgid envuidgid
  setarch linux32 linux64 i386 prlimit numactl perf valgrind hyperfine dotenv direnv asdf mise nix nix-shell nodemon
  concurrently cross-env env-cmd pm2 forever sshpass torsocks torify proxychains proxychains4 eatmydata catchsegv ifne
  pee vipe rlwrap schedtool runcon choom uclampset coresched cpulimit cgexec capsh start-stop-daemon run-parts daemon
  daemonize dtach abduco tmux screen xterm gnome-terminal konsole x-terminal-emulator launchctl wine ld.so sudoedit
  visudo vipw git-shell mosh pssh pdsh faketime retry machinectl gosu su-exec dumb-init tini foreman honcho overmind
  goreman watchexec expect reptyr gdbserver rust-gdb rust-lldb doit with-contenv s6-setuidgid s6-envdir envdir chpst`

/** Builtins and programs that run commands, or change what later words run, in ways that are not followed. */
export const OPAQUE_PROGRAMS: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  ...Object.fromEntries(STARTERS.split(/\s+/).map((name) => [name, 'runs a command that is not followed'])),
  source: 'runs a file in this shell',
  '.': 'runs a file in this shell',
  alias: 'changes what commands mean',
  shopt: 'changes how commands are read',
  enable: 'changes what commands mean',
  hash: 'changes what commands mean',
  bind: 'runs commands on keys',
  complete: 'changes how the shell completes words',
  compgen: 'can run commands',
  mapfile: 'can run commands',
  readarray: 'can run commands',
  fc: 'runs commands of the history',
  coproc: 'runs a command that is not followed',
  script: 'runs a shell',
  su: 'runs a shell as another user',
  at: 'runs commands later',
  batch: 'runs commands later',
  crontab: 'runs commands later',
  ed: 'can run commands from its input',
  red: 'can run commands from its input',
  ex: 'can run commands from its input',
})
