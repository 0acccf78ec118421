import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli } from '../support/run-cli'
import { createScratch, type Scratch } from '../support/scratch'

/** Characters that some programs treat as line separators, but that are text in JSON and in a shell. */
const SEPARATORS = ['\u2028', '\u2029', '\u0085', '\u000b', '\u000c']

let scratch: Scratch
beforeEach(() => {
  scratch = createScratch()
})
afterEach(() => scratch.remove())

test('permission check reads one command per line, and only line feeds end a line', async () => {
  const commands = SEPARATORS.map((separator) => `ls${separator}rm -rf x`)
  const stdin = `${commands.map((command) => JSON.stringify(command)).join('\r\n')}\n"ls"`
  const { stdout, code } = await runCli(['permission', 'check', '--stdin', '--cwd', scratch.project], {
    home: scratch.home,
    stdin,
  })
  const verdicts = stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { verdict: string }).verdict)
  expect(verdicts).toEqual([...SEPARATORS.map(() => 'ask'), 'allow'])
  expect(code).toBe(0)
})

test('a chat with piped input takes a line with such characters as one message', async () => {
  const stdin = `${SEPARATORS.map((separator) => `/nothing${separator}/quit\n`).join('')}/help\n`
  const { stdout } = await runCli(['chat', '--cwd', scratch.project], { home: scratch.home, stdin })
  expect(stdout).toContain('This list.')
})
