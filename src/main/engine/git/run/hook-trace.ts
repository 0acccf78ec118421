import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** A hook that git ran. */
export interface HookRun {
  name: string
  code: number
}

interface HookTrace {
  env: Record<string, string>
  /** Call after git has exited. */
  read(): HookRun[]
  remove(): void
}

/** Makes git record which hooks it ran and their exit codes, which its own exit code does not show. */
export function hookTrace(folder: string): HookTrace {
  const file = join(folder, `git-trace-${process.pid}-${randomBytes(6).toString('hex')}`)
  return {
    env: { GIT_TRACE2_EVENT: file },
    read() {
      try {
        return hooksOf(readFileSync(file, 'utf8'))
      } catch {
        // Older versions of git write no trace.
        return []
      }
    },
    remove: () => rmSync(file, { force: true }),
  }
}

interface TraceLine {
  event?: unknown
  sid?: unknown
  child_id?: unknown
  child_class?: unknown
  hook_name?: unknown
  code?: unknown
}

function hooksOf(text: string): HookRun[] {
  const runs: HookRun[] = []
  const open = new Map<string, HookRun>()
  for (const line of text.split('\n')) {
    const { event, sid, child_id: child, child_class: kind, hook_name: name, code } = parsed(line)
    const key = `${String(sid)} ${String(child)}`
    if (event === 'child_start' && kind === 'hook' && typeof name === 'string') {
      const run = { name, code: 0 }
      runs.push(run)
      open.set(key, run)
    } else if (event === 'child_exit' && typeof code === 'number') {
      const run = open.get(key)
      if (run) run.code = code
      open.delete(key)
    }
  }
  return runs
}

function parsed(line: string): TraceLine {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
