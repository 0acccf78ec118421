/**
 * `npm run bench [name...]`: runs the benchmarks of this folder (by default all but the slow ones) one by one, and
 * prints one JSON array. With `--guard`: runs only `guard`, and exits with 1 when a limit is exceeded.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { print, progress, type Benchmark, type Measurement } from './support/measurement.ts'

const known = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.slice(0, -'.ts'.length))
  .toSorted()
/** These take longer than two minutes and run only when named. */
const SLOW = new Set(['long-runs'])
const isGuard = process.argv.includes('--guard')
const asked = isGuard ? ['guard'] : process.argv.slice(2)
const unknown = asked.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  progress(`There is no benchmark ${unknown.join(', ')}. There are: ${known.join(', ')}.`)
  process.exit(2)
}

const measurements: Measurement[] = []
let failures = 0
for (const name of asked.length > 0 ? asked : known.filter((each) => !SLOW.has(each))) {
  progress(`${name} ...`)
  try {
    const { default: benchmark } = (await import(join(import.meta.dirname, `${name}.ts`))) as { default: Benchmark }
    measurements.push(...(await benchmark()))
  } catch (error) {
    failures++
    progress(`${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
}
print(measurements)
const isSlower = isGuard && measurements.some(({ value, limit }) => limit !== undefined && value > limit)
process.exitCode = failures > 0 || isSlower ? 1 : 0
