/**
 * Runs every check: static checks, unit, integration and conformance tests, the build, and the e2e stories. Failed
 * tests are retried twice, one file at a time, because some tests measure processes and the machine may be busy: a test
 * that passes only on the second or third try counts as passed and is listed at the end, as are the skipped ones. Ends
 * with a line `N passed, N failed, N skipped`; exits with 1 when something failed.
 */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { ensureChromium } from './ensure-chromium.ts'
import { spawnTogether } from './spawn-together.ts'
import { afterRetry, readPlaywright, readVitest, type TestResult } from './test-results.ts'

const root = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'trestle-test-'))
/** With more failures than this, a busy machine is not the cause, and a retry would only waste time. */
const MAX_RETRIED = 25
const RETRIES = ['second', 'third'] as const
const all: TestResult[] = []
const retried: Record<(typeof RETRIES)[number], TestResult[]> = { second: [], third: [] }

/** Runs a package's script with this Node; true when it exits with 0. */
async function run(script: string, args: string[] = [], env: Record<string, string> = {}): Promise<boolean> {
  const child = spawnTogether([join(root, script), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0
}

function count(name: string, ok: boolean): void {
  all.push({ file: '', name, outcome: ok ? 'passed' : 'failed', message: '' })
}

/**
 * Runs tests, reads the report, and retries failures up to twice. A missing report, or an error outside all tests,
 * counts as a failure.
 */
async function runTests(
  name: string,
  start: (report: string, failed?: TestResult[]) => Promise<boolean>,
  read: (report: never) => TestResult[],
): Promise<void> {
  const attempt = async (path: string, failed?: TestResult[]): Promise<TestResult[]> => {
    const ok = await start(path, failed)
    try {
      const results = read(JSON.parse(readFileSync(path, 'utf8')) as never)
      const isOutside = !ok && results.every(({ outcome }) => outcome !== 'failed')
      return isOutside
        ? [...results, { file: '', name: `${name}: an error outside of all tests`, outcome: 'failed', message: '' }]
        : results
    } catch {
      return [{ file: '', name: `${name}: there is no report`, outcome: 'failed', message: path }]
    }
  }
  let results = await attempt(join(scratch, `${name}.json`))
  for (const which of RETRIES) {
    const failed = results.filter(({ outcome }) => outcome === 'failed')
    if (failed.length === 0 || failed.length > MAX_RETRIED || failed.some(({ file }) => file === '')) break
    heading(`${name}: ${which} try of ${failed.length}`)
    const after = afterRetry(results, await attempt(join(scratch, `${name}-${which}.json`), failed))
    results = after.results
    retried[which].push(...after.retried)
  }
  all.push(...results)
}

function heading(text: string): void {
  process.stdout.write(`\n== ${text}\n`)
}

function list(title: string, results: TestResult[]): void {
  if (results.length === 0) return
  heading(`${title}: ${results.length}`)
  for (const { file, name, message } of results) {
    process.stdout.write(`${file === '' ? '' : `${file.startsWith('/') ? relative(root, file) : file}: `}${name}\n`)
    if (message !== '') process.stdout.write(`${message.replaceAll(/^/gm, '    ')}\n`)
  }
}

heading('browser')
count('Chromium', await ensureChromium())

heading('static checks')
count('static checks (npm run check)', await run('scripts/check.ts', ['--all']))

heading('build')
count('build', await run('scripts/build.ts', ['--force']))

heading('unit, integration, conformance')
await runTests(
  'vitest',
  (report, failed) => {
    const files = [...new Set(failed?.map(({ file }) => file))]
    const alone = failed ? ['--no-file-parallelism', ...files] : []
    return run('node_modules/vitest/vitest.mjs', [
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...alone,
    ])
  },
  readVitest,
)

heading('e2e')
await runTests(
  'playwright',
  (report, failed) =>
    run(
      'node_modules/@playwright/test/cli.js',
      ['test', '--config', 'e2e/playwright.config.ts', ...(failed ? ['--last-failed', '--workers=1'] : [])],
      { PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    ),
  readPlaywright,
)

rmSync(scratch, { recursive: true, force: true })
const by = (outcome: TestResult['outcome']): TestResult[] => all.filter((result) => result.outcome === outcome)
list('skipped', by('skipped'))
for (const which of RETRIES) list(`passed only at the ${which} try`, retried[which])
list('failed', by('failed'))
process.stdout.write(
  `\n${by('passed').length} passed, ${by('failed').length} failed, ${by('skipped').length} skipped\n`,
)
process.exit(by('failed').length === 0 ? 0 : 1)
