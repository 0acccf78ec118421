import childProcess, { type ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Runs `work` while no process can be started, as when too many files are open; see `spawnedOrThrow`. */
export async function withoutDescriptors(work: () => Promise<void>): Promise<void> {
  const { spawn } = childProcess
  const fail = (): ChildProcess => {
    // Node returns a child without streams, and reports the error later.
    const child = new EventEmitter()
    process.nextTick(() => child.emit('error', Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' })))
    return child as ChildProcess
  }
  childProcess.spawn = fail as typeof spawn
  syncBuiltinESMExports()
  try {
    await work()
    await new Promise((resolve) => setImmediate(resolve))
  } finally {
    childProcess.spawn = spawn
    syncBuiltinESMExports()
  }
}

/** Runs `work` while no folder can be watched, as when the system's watches are used up. */
export async function withoutWatches(work: () => Promise<void>): Promise<void> {
  const { watch } = fs
  fs.watch = () => {
    throw Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), { code: 'ENOSPC' })
  }
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    fs.watch = watch
    syncBuiltinESMExports()
  }
}
