import { expect, test } from 'vitest'
import { afterRetry, readPlaywright, readVitest, type TestResult } from '../../scripts/test-results'

const result = (name: string, outcome: TestResult['outcome'], file = 'a.test.ts'): TestResult => ({
  file,
  name,
  outcome,
  message: '',
})

test('a test that passes on retry counts as passed and is listed', () => {
  const { results, retried } = afterRetry(
    [result('one', 'passed'), result('two', 'failed')],
    [result('one', 'passed'), result('two', 'passed')],
  )
  expect(results.map(({ outcome }) => outcome)).toEqual(['passed', 'passed'])
  expect(retried.map(({ name }) => name)).toEqual(['two'])
})

test('a test that fails twice stays failed, even when another with its name passes', () => {
  const { results, retried } = afterRetry([result('two', 'failed')], [result('two', 'failed'), result('two', 'passed')])
  expect(results.map(({ outcome }) => outcome)).toEqual(['failed'])
  expect(retried).toEqual([])
})

test('a test that the retry did not run stays failed', () => {
  const { results } = afterRetry([result('two', 'failed')], [])
  expect(results.map(({ outcome }) => outcome)).toEqual(['failed'])
})

test('a Vitest file that failed to load is one failed test with its error', () => {
  const results = readVitest({
    testResults: [
      { name: '/p/broken.test.ts', status: 'failed', message: 'Error: no such module', assertionResults: [] },
      {
        name: '/p/fine.test.ts',
        status: 'passed',
        assertionResults: [{ fullName: 'keeps order', status: 'passed', failureMessages: [] }],
      },
      {
        name: '/p/later.test.ts',
        status: 'passed',
        assertionResults: [{ fullName: 'needs a program', status: 'pending' }],
      },
    ],
  })
  expect(results.map(({ name, outcome }) => [name, outcome])).toEqual([
    ['(the file as a whole)', 'failed'],
    ['keeps order', 'passed'],
    ['needs a program', 'skipped'],
  ])
  expect(results[0]?.message).toBe('Error: no such module')
})

test('e2e tests are read with the names of their groups', () => {
  const story = (title: string, status: string) => ({
    title,
    file: 'plan.story.ts',
    tests: [{ status, results: [{ error: { message: 'late' } }] }],
  })
  const results = readPlaywright({
    suites: [
      {
        title: 'plan.story.ts',
        specs: [story('opens', 'expected')],
        suites: [{ title: 'a plan', specs: [story('is revised', 'unexpected')] }],
      },
    ],
  })
  expect(results.map(({ name, outcome }) => [name, outcome])).toEqual([
    ['opens', 'passed'],
    ['a plan › is revised', 'failed'],
  ])
})
