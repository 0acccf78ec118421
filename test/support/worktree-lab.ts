import { realpathSync } from 'node:fs'
import type { SessionSummary } from '../../src/shared/model/session/session'
import { DEFAULT_SETTINGS } from '../../src/main/engine/config/settings/settings'
import type { WorktreeSettings } from '../../src/main/engine/config/agent-settings/worktree-settings'
import { createWorktrees, type Worktrees } from '../../src/main/engine/worktree/worktrees'
import { createGitLab, labEnvironment, type GitLab } from './git-lab'

/** Real git, and worktrees of sessions on it. */
export interface WorktreeLab extends GitLab {
  worktrees: Worktrees
  /** Notifications to the user. */
  told: { title: string; body: string; isKept: boolean }[]
  /** The settings that apply everywhere. */
  settings: { worktree: WorktreeSettings; trusted: boolean }
  sessions: SessionSummary[]
  /** The command that is reported as running in every worktree. */
  running: { command?: string }
  /** The clock's latest time; each read advances it by one second. */
  time(): number
  /** Another process on the same home. */
  again(): Worktrees
}

export function createWorktreeLab(): WorktreeLab {
  const lab = createGitLab()
  const told: WorktreeLab['told'] = []
  const settings: WorktreeLab['settings'] = { worktree: DEFAULT_SETTINGS.worktree, trusted: true }
  const sessions: SessionSummary[] = []
  const running: WorktreeLab['running'] = {}
  let clock = Date.parse('2026-03-01T10:00:00Z')
  const again = (): Worktrees =>
    createWorktrees({
      home: realpathSync(lab.home),
      now: () => (clock += 1_000),
      env: async () => ({ ...labEnvironment(lab.root), PATH: process.env['PATH'] ?? '' }),
      log: (message) => void told.push({ title: 'log', body: message, isKept: false }),
      settingsFor: async () => ({ settings: settings.worktree, trusted: settings.trusted }),
      sessions: () => sessions,
      runningIn: async () => running.command,
      sandboxOf: async () => undefined,
      changed: () => {},
      notify: (title, body, isKept) => void told.push({ title, body, isKept }),
    })
  return { ...lab, worktrees: again(), told, settings, sessions, running, time: () => clock, again }
}
