/** How a program that starts another one is written: which of its options take a value, and what stands before the other program. */
export interface Wrapper {
  /** Short options with a value, as letters. */
  short?: string
  /** Long options with a value (when not written with `=`). */
  long?: readonly string[]
  /** Options that make it do something that cannot be seen. */
  hidden?: readonly string[]
  /** Options after which no other program follows: it only tells something. */
  asks?: readonly string[]
  /** Words before the program: a duration, a folder. */
  before?: number
  /** `NAME=value` may stand before the program. */
  assigns?: boolean
  /** Adds nothing to what the inner program does, so that only that is judged. */
  neutral?: boolean
}

export const WRAPPERS: Readonly<Record<string, Wrapper>> = Object.assign(Object.create(null), {
  env: { short: 'uC', long: ['--unset', '--chdir'], hidden: ['-S', '--split-string', '-C', '--chdir'], assigns: true, neutral: true },
  sudo: {
    short: 'CDghpRrTtUu',
    long: ['--user', '--group', '--host', '--prompt', '--chdir', '--chroot', '--role', '--type'],
    hidden: ['-s', '-i', '-e', '--shell', '--login', '--edit'],
    assigns: true,
  },
  doas: { short: 'uC', hidden: ['-s'], assigns: true },
  pkexec: { long: ['--user'] },
  run0: { short: 'uD', long: ['--user', '--chdir'] },
  nohup: { neutral: true },
  nice: { short: 'n', long: ['--adjustment'], neutral: true },
  ionice: { short: 'cnpPu', long: ['--class', '--classdata'], neutral: true },
  time: { short: 'fo', long: ['--format', '--output'], hidden: ['-o', '--output'], neutral: true },
  timeout: { short: 'sk', long: ['--signal', '--kill-after'], before: 1, neutral: true },
  gtimeout: { short: 'sk', long: ['--signal', '--kill-after'], before: 1, neutral: true },
  command: { asks: ['-v', '-V'], neutral: true },
  builtin: { neutral: true },
  exec: { short: 'a', neutral: true },
  stdbuf: { short: 'ioe', long: ['--input', '--output', '--error'], neutral: true },
  setsid: { neutral: true },
  chroot: { long: ['--userspec', '--groups'], before: 1 },
  taskset: { before: 1 },
  chrt: { before: 1 },
  unshare: { short: 'wRSG' },
  strace: { short: 'abEeIOoPpSsuX' },
  ltrace: { short: 'aDeFlnopsuwxX' },
  caffeinate: { short: 'tw' },
  chronic: {},
  unbuffer: {},
  busybox: { asks: ['--list', '--help', '--list-full'] },
  toybox: { asks: ['--help', '--long'] },
  xargs: {
    short: 'adEILnPsRJ',
    long: ['--arg-file', '--delimiter', '--replace', '--max-lines', '--max-args', '--max-procs', '--max-chars', '--process-slot-var'],
    neutral: true,
  },
} satisfies Record<string, Wrapper>)

export const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'mksh', 'ash', 'fish', 'rbash', 'yash', 'tcsh', 'csh'])

/** Builtins and programs that run, or change what later words run, in ways that are not followed. */
export const HIDING: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
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
  parallel: 'runs commands that are not followed',
  script: 'runs a shell',
  expect: 'runs commands that are not followed',
  su: 'runs a shell as another user',
  at: 'runs commands later',
  batch: 'runs commands later',
  crontab: 'runs commands later',
  watch: 'runs a command again and again',
  flock: 'runs a command that is not followed',
  nsenter: 'runs a command that is not followed',
  'systemd-run': 'runs a command that is not followed',
  setpriv: 'runs a command that is not followed',
  runuser: 'runs a command that is not followed',
  entr: 'runs a command that is not followed',
  noglob: 'runs a command that is not followed',
} satisfies Record<string, string>)
