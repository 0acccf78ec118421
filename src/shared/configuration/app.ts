/** One thing that has to be right for Trestle to work, with what was found. */
export interface HealthCheck {
  id: string
  title: string
  /** `warning`: it works, with something missing. `failed`: something does not work until it is corrected. */
  status: 'ok' | 'warning' | 'failed'
  /** What was found: the cause, where something is wrong. */
  detail: string
  /** What to do about it. */
  remedy?: string
}

/** What support needs to know about an installation. It holds no secrets. */
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

/** A check in lines: what was found, and what to do. */
export function checkLines({ title, status, detail, remedy }: HealthCheck): string[] {
  return [`${MARKS[status].padEnd(8)}${title}: ${detail}`, ...(remedy === undefined ? [] : [`        → ${remedy}`])]
}

/** Which releases an app is offered. */
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

/** What is known of updates, and what happens with one. */
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
  /** The version that can be put back; null if none is kept. */
  previous: string | null
}

/** Where the environment of commands comes from, as Settings and diagnostics show it. */
export interface ShellEnvironmentView {
  /**
   * `inherited`: Trestle was started where the environment was complete already, such as a terminal. `off`: turned off
   * in Settings. `failed`: the login shell could not be read; commands use what Trestle was started with.
   */
  state: 'inherited' | 'off' | 'reading' | 'ready' | 'failed'
  /** Whether the setting is on. */
  enabled: boolean
  /** The login shell, where one was asked. */
  shell?: string
  /** The folders of PATH as commands get it. */
  path: string[]
  /** How many variables were taken over. */
  variables?: number
  durationMs?: number
  /** What went wrong, and what to do about it. */
  problem?: string
  advice?: string
}

/** The backups of the session store, as Settings shows them. */
export interface BackupsView {
  /** Where they are. */
  folder: string
  count: number
  /** What they take on the disk together. */
  bytes: number
  /** When the newest was made, in ms since the epoch; absent: no backup was made yet. */
  newestAt?: number
}
