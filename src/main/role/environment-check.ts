import { createHmac } from 'node:crypto'
import type { TrestleClient } from '../../shared/contract'

/** Names of environment variables with keyed hashes of their values, which can be compared but not read. */
export type EnvironmentMarks = Record<string, string>

/**
 * Variables that describe where a process was started rather than affect its commands: those of the shell, the
 * terminal, the login and the desktop, of npm for the script it runs, and our own.
 */
const ABOUT_THE_STARTER = new RegExp(
  `^(?:${[
    'PWD|OLDPWD|SHLVL|_|PS[0-4]|PROMPT|PROMPT_COMMAND|HIST\\w*|LS_COLORS|LESS(?:OPEN|CLOSE)|GPG_TTY',
    'TERM|TERM(?:CAP|INAL|INFO)\\w*|TERM_\\w+|COLORTERM|COLORFGBG|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR\\w*|WINDOW(?:ID|PATH)?|STY',
    '(?:TMUX|ZELLIJ|VTE|GNOME_TERMINAL|KONSOLE|KITTY|ALACRITTY|WEZTERM|ITERM|GHOSTTY|WT|LC_TERMINAL)\\w*|SESSIONNAME',
    'SSH_(?:TTY|CLIENT|CONNECTION)|XDG_(?:SESSION_\\w+|VTNR|SEAT\\w*|ACTIVATION_TOKEN)|MAIL|MOTD_SHOWN',
    'INVOCATION_ID|JOURNAL_STREAM|SYSTEMD_EXEC_PID|MANAGERPID|MEMORY_PRESSURE_\\w+|DESKTOP_STARTUP_ID|GIO_LAUNCHED_\\w+',
    'ELECTRON_\\w+|CHROME_DESKTOP|ORIGINAL_XDG_\\w+|APPIMAGE|APPDIR|OWD|ARGV0|NODE_CHANNEL_\\w+|XPC_\\w+|__CF\\w+|SECURITYSESSIONID',
    'npm_\\w+|INIT_CWD|TRESTLE_\\w+',
  ].join('|')})$`,
  'i',
)

/** Marks of the variables that commands, models and servers can see. `key`: the key of the home. */
export function environmentMarks(env: NodeJS.ProcessEnv, key: string): EnvironmentMarks {
  const known = Object.entries(env).filter(([name, value]) => value !== undefined && !ABOUT_THE_STARTER.test(name))
  return Object.fromEntries(
    known.map(([name, value]) => [
      name,
      createHmac('sha256', key).update(`${name}\0${value}`).digest('base64url').slice(0, MARK_CHARS),
    ]),
  )
}

/** Variables of a login or a desktop: they differ after each login, and work of one login can continue in the next. */
const OF_A_LOGIN =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|ICEAUTHORITY|SESSION_MANAGER|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR)$/

/** Variables that a turn from a process with the marks `before` would see differently in one with the marks `now`. */
export function differentForTurns(before: EnvironmentMarks, now: EnvironmentMarks): string[] {
  return differentVariables(before, now).filter((name) => !OF_A_LOGIN.test(name))
}

/** Enough that different values almost never have the same mark. */
const MARK_CHARS = 22

/** Names that are missing on one side or have another value there, in alphabetical order. */
export function differentVariables(one: EnvironmentMarks, other: EnvironmentMarks): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => one[name] !== other[name])
    .toSorted((a, b) => (a < b ? -1 : 1))
}

/**
 * Variables that the engine's commands would see differently from those of this process; undefined when the engine
 * cannot compare them. Only an engine with the same environment can do the work of this process in the same way.
 */
export async function differentInEngine(
  client: Pick<TrestleClient, 'engine'>,
  key: string,
): Promise<string[] | undefined> {
  try {
    return (await client.engine.environment({ marks: environmentMarks(process.env, key) }))?.different
  } catch {
    // An older engine does not support the method.
    return undefined
  }
}

const MAX_NAMED = 4

/** The names as part of a sentence: `A, B and 3 more`. */
export function variableNames(names: readonly string[]): string {
  if (names.length <= MAX_NAMED) return names.join(', ')
  return `${names.slice(0, MAX_NAMED - 1).join(', ')} and ${names.length - MAX_NAMED + 1} more`
}

/** Explains why a program does not use the shared engine. */
export function ownProcessText(what: string, different: readonly string[] | undefined): string {
  const why = different
    ? `other environment variables are set here than for the engine that runs (${variableNames(different)})`
    : 'the engine that runs is an older Trestle; to update it: trestle engine restart --when-idle'
  return `this ${what} runs in a process of its own, because ${why}`
}
