import childProcess, { type ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
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
