/**
 * Everything that must hold, in one go: static checks, unit, integration and conformance tests, the build, and the e2e stories.
 * Ends with a line `N passed, N failed, N skipped`; exits with 1 when something failed.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureChromium } from './ensure-chromium.ts'

const root = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'trestle-test-'))
let passed = 0
let failed = 0
let skipped = 0

/** Runs a script of a package on this Node; true when it exits with 0. */
function run(script: string, args: string[] = [], env: Record<string, string> = {}): boolean {
  const result = spawnSync(process.execPath, [join(root, script), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  return result.status === 0
}

function count(ok: boolean): void {
  if (ok) passed += 1
  else failed += 1
}

/** Adds the counts of a report; a report that is missing is a failure. */
function countReport(
  path: string,
  read: (report: Record<string, never>) => { passed: number; failed: number; skipped: number },
  ok: boolean,
): void {
  try {
    const counts = read(JSON.parse(readFileSync(path, 'utf8')))
    passed += counts.passed
    failed += counts.failed
    skipped += counts.skipped
    if (!ok && counts.failed === 0) failed += 1
  } catch {
    process.stderr.write(`There is no report at ${path}.\n`)
    failed += 1
  }
}

function heading(text: string): void {
  process.stdout.write(`\n== ${text}\n`)
}

heading('browser')
count(await ensureChromium())

heading('static checks')
count(run('scripts/check.ts'))

heading('build')
count(run('scripts/build.ts', ['--force']))

heading('unit, integration, conformance')
const unitReport = join(scratch, 'vitest.json')
const unit = run('node_modules/vitest/vitest.mjs', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${unitReport}`])
countReport(
  unitReport,
  (report) => ({ passed: report['numPassedTests'] ?? 0, failed: report['numFailedTests'] ?? 0, skipped: report['numPendingTests'] ?? 0 }),
  unit,
)

heading('e2e')
const e2eReport = join(scratch, 'e2e.json')
const e2e = run('node_modules/@playwright/test/cli.js', ['test', '--config', 'e2e/playwright.config.ts'], {
  PLAYWRIGHT_JSON_OUTPUT_NAME: e2eReport,
})
countReport(
  e2eReport,
  (report) => {
    const none = { expected: 0, unexpected: 1, flaky: 0, skipped: 0 }
    const stats: typeof none = report['stats'] ?? none
    return { passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped }
  },
  e2e,
)

rmSync(scratch, { recursive: true, force: true })
process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`)
process.exit(failed === 0 ? 0 : 1)
