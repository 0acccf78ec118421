/** The reports of Vitest and Playwright in one format. */

/** One test: its file, its full name, and for a failure the error. */
export interface TestResult {
  /** Path of the test's file, in the format of its runner. */
  file: string
  name: string
  outcome: 'passed' | 'failed' | 'skipped'
  /** The start of the error message; empty unless the test failed. */
  message: string
}

const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')
const MESSAGE_LINES = 8

interface VitestReport {
  testResults: {
    name: string
    status: string
    message?: string
    assertionResults: { fullName: string; status: string; failureMessages?: string[] | null }[]
  }[]
}

/** The tests of Vitest's JSON report. A file that could not be loaded counts as one failed test. */
export function readVitest(report: VitestReport): TestResult[] {
  return report.testResults.flatMap(({ name: file, status, message, assertionResults }): TestResult[] => {
    const tests = assertionResults.map(({ fullName, status: outcome, failureMessages }): TestResult => ({
      file,
      name: fullName,
      outcome: outcome === 'passed' || outcome === 'failed' ? outcome : 'skipped',
      message: beginning(failureMessages?.join('\n') ?? ''),
    }))
    const isBroken = status === 'failed' && tests.every(({ outcome }) => outcome !== 'failed')
    if (isBroken)
      tests.push({ file, name: '(the file as a whole)', outcome: 'failed', message: beginning(message ?? '') })
    return tests
  })
}

interface PlaywrightSuite {
  suites?: PlaywrightSuite[]
  specs?: {
    title: string
    file: string
    tests: { status: string; results: { error?: { message?: string } }[] }[]
  }[]
  title: string
}

/** The tests of Playwright's JSON report. */
export function readPlaywright(report: { suites: PlaywrightSuite[]; errors?: { message?: string }[] }): TestResult[] {
  const results: TestResult[] = (report.errors ?? []).map(({ message = '' }) => ({
    file: '',
    name: '(the stories as a whole)',
    outcome: 'failed',
    message: beginning(message),
  }))
  const visit = (suite: PlaywrightSuite, path: string[]): void => {
    for (const { title, file, tests } of suite.specs ?? []) {
      for (const { status, results: runs } of tests) {
        results.push({
          file,
          name: [...path, title].join(' › '),
          outcome: status === 'expected' || status === 'flaky' ? 'passed' : status === 'skipped' ? 'skipped' : 'failed',
          message: beginning(runs.at(-1)?.error?.message ?? ''),
        })
      }
    }
    // The outermost suites are the files, which `file` already names.
    for (const inner of suite.suites ?? []) visit(inner, [...path, inner.title])
  }
  for (const file of report.suites) visit(file, [])
  return results
}

/** The run with each failure replaced by its result on retry, and the tests that passed only on retry. */
export function afterRetry(
  first: TestResult[],
  second: TestResult[],
): { results: TestResult[]; retried: TestResult[] } {
  const key = ({ file, name }: TestResult): string => `${file}\n${name}`
  // If several tests have the same name, the failed one counts.
  const again = new Map(
    second
      .toSorted((a, b) => Number(a.outcome === 'failed') - Number(b.outcome === 'failed'))
      .map((result) => [key(result), result]),
  )
  const retried: TestResult[] = []
  const results = first.map((result) => {
    if (result.outcome !== 'failed') return result
    const later = again.get(key(result))
    // A file that failed to load is fixed when the retry ran it without failures.
    const tests = second.filter(({ file }) => file === result.file)
    const passed = later
      ? later.outcome === 'passed'
      : tests.length > 0 && tests.every(({ outcome }) => outcome !== 'failed')
    if (!passed) return later ?? result
    retried.push(result)
    return { ...result, outcome: 'passed' as const }
  })
  return { results, retried }
}

function beginning(text: string): string {
  return text.replace(ESCAPES, '').trim().split('\n').slice(0, MESSAGE_LINES).join('\n')
}
