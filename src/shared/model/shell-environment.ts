/** Where the environment of commands comes from, as Settings and diagnostics show it. */
export interface ShellEnvironmentView {
  /**
   * `inherited`: Trestle was started where the environment was complete already, such as a terminal. `off`: turned off in Settings.
   * `failed`: the login shell could not be read; commands use what Trestle was started with.
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
