import type { Word } from '../../permission/shell-syntax'
import type { CommandContext } from './removal'

const DISK =
  /^(?:mkfs(?:\..*)?|mke2fs|wipefs|fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|diskpart|blkdiscard|hdparm|mkswap|shred|cryptsetup|badblocks|newfs.*|format\.com|pvremove|vgremove|lvremove)$/
const POWER = /^(?:shutdown|reboot|halt|poweroff|telinit|pm-(?:suspend|hibernate).*)$/
const SYSTEMCTL_POWER =
  /^(?:poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|rescue|emergency|isolate)$/
const SERVICES =
  /^(?:enable|disable|start|stop|restart|try-restart|reload-or-restart|mask|unmask|kill|link|edit|reenable|preset|set-default|set-property|set-environment|import-environment|add-wants|add-requires|daemon-reexec)$/
const LAUNCHCTL = /^(?:load|unload|bootstrap|bootout|submit|enable|disable|start|stop|kickstart|remove|setenv|config)$/

/** A program, and why it is dangerous with these arguments. */
type Check = (rest: readonly Word[], around: CommandContext) => string | undefined

/** Whether one of the words matches. */
function some(rest: readonly Word[], test: RegExp): boolean {
  return rest.some((word) => test.test(word.text))
}

const clock =
  (harmless: RegExp): Check =>
  (rest) =>
    rest.length > 0 && !rest.every(({ text, known }) => known && harmless.test(text))
      ? 'Changes the clock of the computer.'
      : undefined

const services: Check = (rest) => {
  if (some(rest, SYSTEMCTL_POWER)) return 'systemctl stops or restarts the computer.'
  return some(rest, SERVICES) ? 'Starts, stops or sets up services that run in the background.' : undefined
}

const CHECKS: Readonly<Record<string, Check>> = Object.assign(Object.create(null), {
  diskutil: (rest) =>
    some(rest, /^(?:erase|partition|zero|secureErase|reformat|apfs)/i) ? 'diskutil can erase disks.' : undefined,
  dd: (rest) => (some(rest, /^of=\/dev\/(?!null$|stdout$|fd\/|zero$)/) ? 'dd writes to a device.' : undefined),
  init: (rest) => (some(rest, /^[06]$/) ? 'init stops or restarts the computer.' : undefined),
  systemctl: services,
  service: (rest) =>
    some(rest, /^(?:start|stop|restart|reload|force-reload)$/) ? 'Starts or stops a service.' : undefined,
  'update-rc.d': () => 'Sets up services that start with the computer.',
  chkconfig: (rest) => (rest.length > 1 ? 'Sets up services that start with the computer.' : undefined),
  'rc-update': () => 'Sets up services that start with the computer.',
  loginctl: (rest) =>
    some(rest, /^(?:enable-linger|terminate-.*|kill-.*|poweroff|reboot|suspend|hibernate|halt)$/)
      ? 'loginctl changes what runs on the computer.'
      : undefined,
  launchctl: (rest) =>
    some(rest, LAUNCHCTL) ? 'Starts, stops or sets up services that run in the background.' : undefined,
  crontab: (rest) =>
    rest.some(({ text }) => text === '-l') && !some(rest, /^-[er]$/) ? undefined : 'Schedules commands that run later.',
  at: (rest) => (some(rest, /^-[lV]$/) ? undefined : 'Schedules a command that runs later.'),
  batch: () => 'Schedules a command that runs later.',
  date: (rest) =>
    some(rest, /^-[uRI]*s|^--s(?:et?)?(?:=|$)/) ||
    rest.some(
      ({ text }, index) =>
        /^\d{8,12}(?:\.\d\d)?$/.test(text) && !/^(?:-[a-zA-Z]*[drf]|--\w+)$/.test(rest[index - 1]?.text ?? ''),
    )
      ? 'Changes the clock of the computer.'
      : undefined,
  hwclock: clock(/^(?:-r|--show|--get|-v|--verbose|-u|--utc|-l|--localtime|--version|--help)$/),
  timedatectl: clock(/^(?:status|show|list-timezones|timesync-status|show-timesync|-.*)$/),
  ntpdate: clock(/^-q$/),
  kill: dangerousKill,
  pkill: (rest) =>
    some(rest, /^(?:-0|-l|--list.*|--help|--version)$/) ? undefined : 'Ends every process with that name.',
  killall: (rest) => (some(rest, /^(?:-0|-l|--list|--version)$/) ? undefined : 'Ends every process with that name.'),
  killall5: () => 'Ends every process.',
  skill: () => 'Ends processes.',
  xkill: () => 'Ends processes.',
  fuser: (rest) => (some(rest, /^-[a-zA-Z]*k|^--kill$/) ? 'Ends the processes that use a file or a port.' : undefined),
  npm: (rest) => (isUsersSetting(rest) ? 'Changes settings of npm for all your projects.' : undefined),
  pnpm: (rest) => (isUsersSetting(rest) ? 'Changes settings of pnpm for all your projects.' : undefined),
  yarn: (rest) => (isUsersSetting(rest) ? 'Changes settings of yarn for all your projects.' : undefined),
  pip: (rest) => (isUsersSetting(rest) ? 'Changes settings of pip for all your projects.' : undefined),
  pip3: (rest) => (isUsersSetting(rest) ? 'Changes settings of pip for all your projects.' : undefined),
  go: (rest) =>
    rest[0]?.text === 'env' && some(rest, /^-[wu]$/) ? 'Changes settings of go for all your projects.' : undefined,
  gem: (rest) =>
    rest[0]?.text === 'sources' && some(rest, /^(?:-a|-r|--add|--remove|-c)$/)
      ? 'Changes where gem installs from.'
      : undefined,
  conda: (rest) =>
    rest[0]?.text === 'config' && some(rest, /^--(?:set|add|append|prepend|remove)/)
      ? 'Changes settings of conda for all your projects.'
      : undefined,
  aws: (rest) => (rest[0]?.text === 'configure' ? 'Changes your settings of aws.' : undefined),
  history: (rest) => (some(rest, /^-\w*[cdw]/) ? 'Removes the history of your shell.' : undefined),
} satisfies Record<string, Check>)

/** What changes or stops the computer itself, its processes and services, or settings outside the project. */
export function dangerousSystem(program: string, rest: readonly Word[], around: CommandContext): string | undefined {
  if (DISK.test(program) && !(rest.length === 1 && some(rest, /^--(?:version|help)$|^-[lhV]$/)))
    return `${program} destroys what is on a disk.`
  if (POWER.test(program)) return `${program} stops or restarts the computer.`
  return CHECKS[program]?.(rest, around)
}

/** `kill` of anything except jobs of this shell and processes started by this command. */
function dangerousKill(rest: readonly Word[], { children }: CommandContext): string | undefined {
  if (rest.length > 1 && rest.at(-1)?.text === '-1') return 'Ends all your processes.'
  if (
    rest.some(({ text }) => /^(?:-l|-L|--list|--table|-0)$/.test(text)) ||
    (/^-s$|^--signal$/.test(rest[0]?.text ?? '') && rest[1]?.text === '0')
  )
    return undefined
  const other = rest.find(({ text }, index) => {
    if (/^-(?:[A-Za-z][\w+]*|\d+|-)$|^--signal(?:=.*)?$/.test(text)) return false
    if (/^(?:-s|-n|--signal)$/.test(rest[index - 1]?.text ?? '')) return false
    const bare = text.replace(/["']/g, '')
    const variable = /^-?\$\{?(\w+)\}?$/.exec(bare)?.[1]
    return !(
      bare.startsWith('%') ||
      /^-?\$!$|^\$\(jobs -p\)$/.test(bare) ||
      (variable !== undefined && children.has(variable))
    )
  })
  return other && `Ends the process ${other.text}, which may not be one of this command.`
}

/** `npm config set` and the like, unless limited to the project. */
function isUsersSetting(rest: readonly Word[]): boolean {
  const at = rest.findIndex(({ text }) => text === 'config' || text === 'c')
  const verb = rest.slice(at + 1).find(({ text }) => !text.startsWith('-'))?.text ?? ''
  const isSet = at >= 0 && at < 3 && /^(?:set|delete|rm|unset|edit|fix)$/.test(verb)
  if (!isSet && !(rest[0]?.text === 'set')) return false
  return !some(rest, /^--location=project$/) && !(some(rest, /^--location$/) && some(rest, /^project$/))
}

/**
 * For each program: the words that change something (Git Bash needs two slashes where Windows has one), and what they
 * change.
 */
const CHANGES: Readonly<Record<string, readonly [words: RegExp, what: string]>> = Object.assign(Object.create(null), {
  schtasks: [/^\/{1,2}(?:create|change|run|delete)$/i, 'Schedules, changes or removes a command that runs later.'],
  reg: [/^(?:add|delete|import|copy|restore|load|unload|save)$/i, 'Changes the registry of Windows.'],
  regedit: [/./, 'Changes the registry of Windows.'],
  regini: [/./, 'Changes the registry of Windows.'],
  sc: [
    /^(?:create|config|delete|start|stop|failure|sdset|triggerinfo)$/i,
    'Starts, stops or sets up services that run in the background.',
  ],
  net: [
    /^(?:user|localgroup|group|start|stop|share|accounts|use)$/i,
    'Changes accounts, shares or services of Windows.',
  ],
  netsh: [/^(?:add|set|delete|reset|import|exec|-f)$/i, 'Changes network settings of Windows.'],
  bcdedit: [/^\/{1,2}(?!enum|v$|\?)/i, 'Changes how the computer starts.'],
  setx: [/./, 'Changes environment variables for all your programs.'],
  assoc: [/=/, 'Changes which program opens a kind of file.'],
  ftype: [/=/, 'Changes which program opens a kind of file.'],
  vssadmin: [/^(?:delete|resize)$/i, 'Removes restore points of Windows.'],
  wbadmin: [/^(?:delete|start|stop|disable|enable)$/i, 'Changes the backups of Windows.'],
  wevtutil: [/^(?:cl|clear-log|sl|set-log|um|im)$/i, 'Changes the event logs of Windows.'],
  fsutil: [/^(?:usn|file|volume|behavior|hardlink|reparsepoint|quota)$/i, 'Changes a file system of Windows.'],
  cipher: [/^\/{1,2}(?:w|e|d)/i, 'Encrypts files, or overwrites free space.'],
  takeown: [/./, 'Takes the ownership of files.'],
  icacls: [
    /^\/{1,2}(?:grant|deny|remove|setowner|reset|inheritance|restore|setintegritylevel)/i,
    'Changes who may read or change files.',
  ],
  format: [/^[a-z]:$/i, 'format destroys what is on a disk.'],
  wmic: [/^(?:call|create|delete|set|terminate)$/i, 'Changes the system through WMI.'],
  taskkill: [/./, 'Ends processes.'],
  tskill: [/./, 'Ends processes.'],
  logoff: [/^/, 'Ends your session.'],
  rundll32: [/./, 'Runs code of a library without showing it to you.'],
  regsvr32: [/./, 'Runs code of a library without showing it to you.'],
  mshta: [/./, 'Runs a script without showing it to you.'],
} satisfies Record<string, readonly [RegExp, string]>)

/** What changes Windows itself, or settings outside the project. */
export function dangerousWindows(program: string, rest: readonly Word[]): string | undefined {
  const [words, what] = CHANGES[program] ?? []
  if (!words) return undefined
  return rest.some(({ text, known }) => !known || words.test(text)) || (rest.length === 0 && words.test(''))
    ? what
    : undefined
}
