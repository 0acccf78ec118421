import { execFile } from 'node:child_process'
import { win32 } from 'node:path'
import { stopSession } from '../stop-session'

/** A process of Windows that was started for a task, a hook or a server. */
export interface TreeToStop {
  /** The mark of all that it starts. */
  taskId: string
  leader: number
  /** Its number may be somebody else's by then. */
  leaderIsGone: () => boolean
}

/**
 * Ends a process of Windows with all that it started, found by parents, by the families of Git Bash, and by when each began. Windows has no gentle way to
 * end a program that has no console: what has one is asked before.
 */
export async function stopTree({ taskId, leader, leaderIsGone }: TreeToStop, graceMs: number): Promise<void> {
  await stopSession({ taskId, leader, leaderOnlyWaits: false, leaderIsGone, groups: () => [] }, graceMs)
  // Where processes cannot be listed, and only while it runs.
  if (!leaderIsGone()) await taskkill(leader)
}

function taskkill(pid: number): Promise<void> {
  const program = win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe')
  return new Promise((resolve) => {
    execFile(program, ['/PID', String(pid), '/T', '/F'], { windowsHide: true }, () => resolve())
  })
}
