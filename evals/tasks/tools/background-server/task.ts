import { bash, call, read, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const task: EvalTask = {
  about: 'Starts a server in the background, asks it something that only the running server knows, and stops it.',
  prompts: [
    'Start server.mjs in the background, get its token with `node ask.mjs token`, stop it again, and answer with the token and nothing else.',
  ],
  check({ read, answer, events }) {
    const given = (read('access.log') ?? '').split('\n').filter((line) => line !== '')
    return [
      ...(events.some(({ type }) => type === 'task.started') ? [] : ['No command was started in the background.']),
      ...(given.length > 0 ? [] : ['The server was not asked.']),
      ...(given.some((token) => answer.includes(token)) ? [] : ['The answer is not the token that the server gave.']),
    ]
  },
  good: {
    steps: [
      read('server.mjs'),
      bash('node server.mjs', { run_in_background: true }),
      bash('node ask.mjs token'),
      ({ said }) => call('TaskStop', { task_id: /task_id: (\S+?)(?:\\n|\s)/.exec(said)?.[1] ?? 'unknown' }),
      ({ said }) => say(/run-[0-9a-f-]{36}/.exec(said)?.[0] ?? 'There was no token.'),
    ],
  },
  // Answers from the source: the token that stands there is not the one that is used.
  bad: {
    steps: [read('server.mjs'), bash('node server.mjs', { run_in_background: true }), say('dev-0000')],
  },
}

export default task
