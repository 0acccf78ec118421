import { expect, test } from 'vitest'
import { explainRule } from './explain-rule'

test.each([
  ['allow', 'Bash(npm test)', 'Allows exactly the command “npm test” without asking.'],
  ['deny', 'Bash(rm *)', 'Blocks commands that begin with “rm”, whatever else allows it.'],
  ['ask', 'Bash', 'Asks before every command, in every mode.'],
  ['deny', 'Read(**/.env)', 'Blocks reading files that match **/.env in any folder, whatever else allows it.'],
  ['allow', 'Write(~/notes/**)', 'Allows writing files that match ~/notes/** without asking.'],
  ['allow', 'FetchURL(*.example.org)', 'Allows fetching pages that match *.example.org without asking.'],
  ['ask', 'mcp__github__*', 'Asks before every tool of the server github, in every mode.'],
  ['deny', 'mcp__github__merge', 'Blocks the tool merge of the server github, whatever else allows it.'],
  ['ask', 'Write', 'Asks before every use of Write, in every mode.'],
  ['allow', 'Reed', 'It cannot be read, so every call that it might match asks.'],
] as const)('%s %s is explained in plain words', (decision, pattern, words) => {
  expect(explainRule({ decision, pattern })).toBe(words)
})

test('says that an allowed command runs without a sandbox', () => {
  expect(explainRule({ decision: 'allow', pattern: 'Bash(make)', sandbox: 'unrestricted' })).toContain(
    'It runs without a sandbox.',
  )
})
