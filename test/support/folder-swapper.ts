import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * A separate process that replaces a folder with a link and restores it, as fast as it can, until it is told to end.
 */
const PROGRAM = `
const { renameSync, symlinkSync, unlinkSync, writeSync } = require('node:fs')
const [folder, target] = process.argv.slice(1)
let rounds = 0
let asides = 0
// The program under test may recreate the folder while its name is free: then move that one aside.
function put(work) {
  for (;;) {
    try { return work() } catch { renameSync(folder, folder + '.' + ++asides) }
  }
}
function swap() {
  for (const end = Date.now() + 20; Date.now() < end; rounds++) {
    renameSync(folder, folder + '.real')
    put(() => symlinkSync(target, folder))
    unlinkSync(folder)
    put(() => renameSync(folder + '.real', folder))
  }
  writeSync(1, rounds + '\\n')
  if (ended) process.exit(0)
  setImmediate(swap)
}
let ended = false
process.stdin.on('end', () => { ended = true }).resume()
writeSync(1, 'ready\\n')
swap()
`

/**
 * Swaps `folder` with a link to `target` while `work` runs; returns how often. `work` gets a function that returns the
 * current count. Afterwards the folder is back in its place.
 */
export async function whileSwapped(
  folder: string,
  target: string,
  work: (swaps: () => number) => Promise<void>,
): Promise<number> {
  const child = spawn(process.execPath, ['-e', PROGRAM, folder, target], { stdio: ['pipe', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (data: Buffer) => (said += data.toString('utf8')))
  const closed = once(child, 'close')
  const swaps = (): number => Number(said.split('\n').at(-2)) || 0
  try {
    await once(child.stdout, 'data')
    await work(swaps)
  } finally {
    child.stdin.end()
    await closed
  }
  return swaps()
}
