/**
 * Loaded before a program that a test has started (see ends-with-parent.ts): a pipe from the test closes when the test
 * process ends, and then this process exits, too. Workers also load this, but have no pipe.
 */
import { Socket } from 'node:net'
import { isMainThread } from 'node:worker_threads'

const PIPE = 3
const END_MS = 10_000

if (isMainThread) {
  const pipe = new Socket({ fd: PIPE })
  pipe.unref()
  pipe.resume()
  pipe.on('error', () => {})
  pipe.once('close', () => {
    process.kill(process.pid, 'SIGTERM')
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), END_MS).unref()
  })
  // Child processes do not have the pipe.
  process.execArgv = []
}
