/**
 * `node test/support/model-server-cli.ts --script file.json [--port 0]`: prints its URL and serves until it is ended.
 * The file contains a list of steps.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { ScriptStep } from './model-script.ts'
import { startModelServer } from './model-server.ts'

const { values } = parseArgs({
  options: { script: { type: 'string' }, port: { type: 'string', default: '0' }, models: { type: 'string' } },
})
if (values.script === undefined) {
  process.stderr.write('usage: model-server-cli.ts --script file.json [--port 0] [--models a,b]\n')
  process.exit(2)
}
const script = JSON.parse(readFileSync(values.script, 'utf8')) as ScriptStep[]
const server = await startModelServer({
  script,
  port: Number(values.port),
  ...(values.models !== undefined && { models: values.models.split(',') }),
})
process.stdout.write(`${server.baseUrl}\n`)
const stop = (): void => void server.close().then(() => process.exit(0))
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
