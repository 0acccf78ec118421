import { expect, it } from 'vitest'
import { announcement } from './approval-dock'

it('announces each kind of request in one sentence', () => {
  expect(announcement({ tool: 'Bash', summary: 'npm test' })).toBe('Approval needed: Bash npm test')
  expect(announcement({ tool: 'ExitPlanMode', asks: 'plan', summary: 'the plan' })).toBe(
    'The plan is ready for your review.',
  )
  expect(announcement({ tool: 'AskUserQuestion', asks: 'questions', summary: 'Which database?' })).toBe(
    'The agent asks: Which database?',
  )
  expect(announcement({ tool: 'x', asks: 'form', summary: 'Your name' })).toBe('Your answer is needed. Form: Your name')
})
