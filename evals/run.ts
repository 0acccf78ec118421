/** `npm run eval`: runs the tasks of this folder with a model, or with their scripted solutions. `--help` says how. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Configuration } from './runner/configuration'
import { loadTasks, UsageProblem } from './runner/load-tasks.ts'
import { HELP, readOptions } from './runner/read-options.ts'
import { createReport, markdown } from './runner/report.ts'
import { runAll } from './runner/run-all.ts'
import type { RunWithLog } from './runner/run-task'

const root = join(import.meta.dirname, '..')

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options.help) {
    process.stdout.write(HELP)
    return 0
  }
  const tasks = await loadTasks(options)
  if (options.list) {
    for (const { id, about } of tasks) process.stdout.write(`${id.padEnd(36)} ${about}\n`)
    return 0
  }
  const built = spawnSync(process.execPath, [join(root, 'scripts', 'build.ts')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (built.status !== 0) return 1
  const { configurations, runs, jobs, out } = options
  const done = await runAll({ tasks, configurations, runs, jobs, ended: tell })
  const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout?.trim()
  const results = done.map(({ result }) => result)
  const report = createReport(results, { at: new Date().toISOString(), ...(commit && { commit }) })
  const text = markdown(report)
  process.stdout.write(text)
  if (out !== undefined) writeReports(out, `${JSON.stringify(report, null, 2)}\n`, text, done)
  return configurations.every((configuration) => isAsExpected(configuration, done)) ? 0 : 1
}

function tell({ result }: RunWithLog, count: number, of: number): void {
  const { task, configuration, passed, error, seconds } = result
  const word = error !== undefined ? 'not judged' : passed ? 'passed' : 'failed'
  process.stderr.write(
    `${String(count).padStart(String(of).length)}/${of} ` +
      `${word.padEnd(10)} ${seconds.toFixed(1).padStart(6)} s  ${task}  (${configuration})\n`,
  )
}

function writeReports(folder: string, json: string, text: string, done: readonly RunWithLog[]): void {
  const logs = join(folder, 'logs')
  mkdirSync(logs, { recursive: true })
  writeFileSync(join(folder, 'report.json'), json)
  writeFileSync(join(folder, 'report.md'), text)
  for (const { result, events } of done) {
    const name = `${result.task}-${result.configuration}-${result.run}`.replace(/[^\w.-]+/g, '_')
    writeFileSync(join(logs, `${name}.jsonl`), events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  }
  process.stderr.write(`Reports and logs are in ${folder}.\n`)
}

/** A good solution passes, a bad one is caught by its check; a model may do either, as long as it was judged. */
function isAsExpected(configuration: Configuration, done: readonly RunWithLog[]): boolean {
  const own = done.map(({ result }) => result).filter((result) => result.configuration === configuration.name)
  if (own.some(({ error }) => error !== undefined)) return false
  return configuration.kind === 'model' || own.every(({ passed }) => passed === (configuration.solution === 'good'))
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof UsageProblem)) throw error
  process.stderr.write(`eval: ${error.message}\n`)
  process.exitCode = 2
}
