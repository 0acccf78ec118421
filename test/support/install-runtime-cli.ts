/**
 * Copies a runtime: `install-runtime-cli.ts HOME VERSION RESOURCES`. Prints its path, or the error, as JSON; if HOLD is
 * set, then waits to be ended.
 */
import { join } from 'node:path'
import { installRuntime } from '../../src/main/engine/runtime/install-runtime'

const [home = '', version = '', resources = ''] = process.argv.slice(2)
const packaged = { node: join(resources, 'bin', 'trestle-node'), app: join(resources, 'app.asar.unpacked') }
try {
  process.stdout.write(`${JSON.stringify(await installRuntime({ home, version, packaged }))}\n`)
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`)
}
