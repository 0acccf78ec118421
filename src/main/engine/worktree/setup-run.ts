import { appendFileSync, closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { worktreeRecords, readWorktree, writeWorktree, type WorktreeRecord } from '../config/worktree-record'
import { startHook } from '../hook/hook-process'
import type { SandboxPolicy } from '../sandbox/sandbox-policy'
import { workFolder } from '../git/run/plain-path'

export interface SetupOptions {
  home: string
  command: string
  env: Record<string, string>
  /** Its sandbox; absent: none. */
  sandbox?: SandboxPolicy
  now(): number
  /** Called when the output has grown or the command has ended. */
  changed(): void
  signal: AbortSignal
}

const LIMIT_MS = 60 * 60_000
const ANSWER_BYTES = 1_000
/** The maximum size of its log. */
const MAX_LOG_BYTES = 8 * 1024 * 1024
const SHOWN_BYTES = 16 * 1024

function logOf(home: string, id: string): string {
  return join(worktreeRecords(home), `${id}.log`)
}

/**
 * Runs the command that prepares a worktree, in its folder. Resolves when it has ended, whether it succeeded or not.
 */
export async function runSetup(record: WorktreeRecord, options: SetupOptions): Promise<void> {
  const { home, command, env, sandbox, now, changed, signal } = options
  const file = logOf(home, record.id)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  rmSync(file, { force: true })
  let bytes = 0
  const write = (setup: NonNullable<WorktreeRecord['setup']>): void => {
    const current = readWorktree(home, record.id)
    if (current) writeWorktree(home, { ...current, setup })
    changed()
  }
  const startedAt = now()
  write({ command, state: 'running', startedAt })
  const { ended, gone } = startHook({
    command,
    cwd: workFolder(record),
    env,
    home,
    ...(sandbox && { sandbox }),
    tagId: `worktree-${record.id}`,
    input: '',
    timeoutMs: LIMIT_MS,
    answerBytes: ANSWER_BYTES,
    signal,
    onOutput(chunk) {
      if (bytes > MAX_LOG_BYTES) return
      bytes += chunk.length
      appendFileSync(file, chunk, { mode: 0o600 })
      changed()
    },
  })
  const { exitCode, cut, problem } = await ended
  if (problem !== undefined) appendFileSync(file, `${problem}\n`, { mode: 0o600 })
  if (cut === 'timed_out')
    appendFileSync(file, `\nIt took longer than ${LIMIT_MS / 60_000} minutes.\n`, { mode: 0o600 })
  await gone
  write({
    command,
    state: cut === 'stopped' ? 'stopped' : exitCode === 0 ? 'done' : 'failed',
    ...(exitCode !== undefined && { exitCode }),
    startedAt,
    endedAt: now(),
  })
}

/** The latest output of a setup command. */
export function setupOutput(home: string, id: string): string {
  const file = logOf(home, id)
  if (!existsSync(file)) return ''
  const handle = openSync(file, 'r')
  try {
    const { size } = fstatSync(handle)
    const buffer = Buffer.alloc(Math.min(size, SHOWN_BYTES))
    readSync(handle, buffer, 0, buffer.length, size - buffer.length)
    // Skips a partial character at the start.
    let start = 0
    while (size > buffer.length && start < 4 && (buffer[start]! & 0xc0) === 0x80) start += 1
    return buffer.toString('utf8', start)
  } finally {
    closeSync(handle)
  }
}
