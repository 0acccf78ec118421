import { expect, it } from 'vitest'
import { CodedError, type ErrorCode, failureText } from './errors'

const said = (code: ErrorCode, message: string): string => failureText(new CodedError(code, message).failure)

it('does not repeat in the title what the message says', () => {
  expect(said('session.not_found', 'There is no session nope.')).toBe('There is no session nope.')
  expect(said('plugin.taken', 'There is a plugin notes already.')).toBe('There is a plugin notes already.')
  expect(said('trust.not_user', 'Only you can decide which projects to trust, but it runs in a task.')).toBe(
    'Only you can decide which projects to trust, but it runs in a task.',
  )
  expect(said('task.ended', 'Task t-1 has ended.')).toBe('Task t-1 has ended.')
  expect(said('model.empty', new CodedError('model.empty', '').failure.title)).toBe('The model sent an empty response')
})

it('puts the title before a message that does not say what failed', () => {
  expect(said('model.auth', 'Incorrect API key provided.')).toBe('Invalid API key: Incorrect API key provided.')
  expect(said('store.full', 'There is no space left for the session store.')).toMatch(/^The disk is full: There/)
  expect(said('session.not_found', 'This session was deleted.')).toBe('Session not found: This session was deleted.')
})
