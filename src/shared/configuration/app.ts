/** A requirement of Trestle, with the result of checking it. */
export interface HealthCheck {
  id: string
  title: string
  /** `warning`: Trestle works, but something is missing. `failed`: something does not work until it is fixed. */
  status: 'ok' | 'warning' | 'failed'
  /** What was found: the cause if there is a problem. */
  detail: string
  /** What to do about it. */
  remedy?: string
}

/** Information about an installation for support. Contains no secrets. */
export interface DiagnosticsReport {
  /** ms since 1970. */
  at: number
  sections: { title: string; facts: { name: string; value: string }[] }[]
  checks: HealthCheck[]
  /** The newest entries of the log, oldest first. */
  errors: { at: string; message: string }[]
}

const MARKS: Readonly<Record<HealthCheck['status'], string>> = { ok: 'ok', warning: 'warning', failed: 'FAILED' }

/** The report as text, for a message or an issue. */
export function diagnosticsText({ at, sections, checks, errors }: DiagnosticsReport): string {
  const lines = [`Trestle diagnostics, ${new Date(at).toISOString()}`]
  for (const { title, facts } of sections)
    lines.push('', title, ...facts.map(({ name, value }) => `  ${name}: ${value}`))
  lines.push('', 'Checks', ...checks.flatMap((check) => checkLines(check).map((line) => `  ${line}`)))
  lines.push(
    '',
    'Last errors',
    ...(errors.length === 0 ? ['  None'] : errors.map(({ at: time, message }) => `  ${time} ${message}`)),
  )
  return `${lines.join('\n')}\n`
}

/** A check as lines: the result, and what to do. */
export function checkLines({ title, status, detail, remedy }: HealthCheck): string[] {
  return [`${MARKS[status].padEnd(8)}${title}: ${detail}`, ...(remedy === undefined ? [] : [`        → ${remedy}`])]
}

/** The releases that an app is offered. */
export const UPDATE_CHANNELS = ['stable', 'beta'] as const
export type UpdateChannel = (typeof UPDATE_CHANNELS)[number]

/** What a user can ask for in the Updates section. */
export type UpdateAction =
  | { kind: 'check' }
  | { kind: 'download' }
  | { kind: 'when-idle'; isWanted: boolean }
  | { kind: 'roll-back' }
  | { kind: 'channel'; channel: UpdateChannel }
  | { kind: 'automatic'; isAutomatic: boolean }

/** The view of a host that does not update itself. */
export function noUpdates(installed: string, reason: string): UpdatesView {
  return { installed, state: { kind: 'unavailable', reason }, channel: 'stable', automatic: false, previous: null }
}

/** A release that is newer than the installed one. */
export interface UpdateRelease {
  version: string
  /** Markdown; empty without any. */
  notes: string
  /** When it was published, as ISO time; empty if the feed does not say. */
  date: string
}

/** Why an update was rejected or could not be installed: one sentence each. */
export interface UpdateProblem {
  message: string
  advice: string
}

/** The state of updates. */
export type UpdateState =
  | { kind: 'unavailable'; reason: string }
  | { kind: 'current'; checkedAt?: number; problem?: UpdateProblem }
  | { kind: 'checking' }
  | { kind: 'available'; release: UpdateRelease }
  | { kind: 'downloading'; release: UpdateRelease; percent: number }
  /** Verified and on disk. It is installed when the app is closed; `whenIdle`: as soon as nothing is running. */
  | { kind: 'ready'; release: UpdateRelease; whenIdle: boolean; waitsFor: string | null }

/** The Updates section of the settings. */
export interface UpdatesView {
  installed: string
  state: UpdateState
  channel: UpdateChannel
  /** Whether new releases are downloaded without asking. */
  automatic: boolean
  /** The version that can be restored; null if none is kept. */
  previous: string | null
}

/** The source of the commands' environment, for Settings and diagnostics. */
export interface ShellEnvironmentView {
  /**
   * `inherited`: Trestle was started with a complete environment, such as from a terminal. `off`: disabled in Settings.
   * `failed`: the login shell could not be read; commands use the environment Trestle was started with.
   */
  state: 'inherited' | 'off' | 'reading' | 'ready' | 'failed'
  /** Whether the setting is enabled. */
  enabled: boolean
  /** The login shell, if it was read. */
  shell?: string
  /** The folders of PATH for commands. */
  path: string[]
  /** How many variables came from the login shell. */
  variables?: number
  durationMs?: number
  /** What went wrong, and what to do about it. */
  problem?: string
  advice?: string
}

/** The backups of the session store, for Settings. */
export interface BackupsView {
  /** The folder with the backups. */
  folder: string
  count: number
  /** Their total size on disk. */
  bytes: number
  /** When the newest was made, in ms since the epoch; absent: no backup was made yet. */
  newestAt?: number
}
