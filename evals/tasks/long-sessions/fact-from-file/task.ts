import { noteOf, readsOfNotes, SMALL_WINDOW, writeLongNotes } from '../../../support/long-notes.ts'
import { call, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const SERIAL = 'HX-20931-C'

/** By the time of the question the result is left out, or summarised; who looks again knows, who guesses takes the number of the other pump. */
const task: EvalTask = {
  about: 'Gives an exact number from a file that was read at the start, when that result has gone from the context.',
  contextWindow: SMALL_WINDOW,
  prompts: [
    'Read each file in notes/, whole and one after the other, from the first to the last. Then tell me in one sentence what they are about.',
    'What is the serial number of the pump that was installed on day 1? Give it exactly.',
  ],
  setup: ({ project }) =>
    writeLongNotes(project, 10, {
      1: `- 11:15 pump house: new pump installed, serial ${SERIAL}`,
      9: '- 11:15 pump house: pump inspected, serial HX-20913-C',
    }),
  check: ({ answer }) =>
    answer.includes(SERIAL) && !answer.includes('HX-20913-C')
      ? []
      : [`The answer does not give ${SERIAL} alone: ${answer}`],
  good: {
    steps: [
      ...readsOfNotes(1, 10),
      say('They are the log of a harbor: checks, repairs and deliveries.'),
      call('Grep', { pattern: 'pump installed', path: noteOf(1), output_mode: 'content' }),
      ({ said }) => say(`Its serial number is ${/pump installed, serial (HX-[\w-]+)/.exec(said)?.[1]}.`),
    ],
    summary: 'All ten notes were read: a log of a harbor. Day 1 has a pump that was installed.',
  },
  bad: {
    steps: [
      ...readsOfNotes(1, 10),
      say('They are the log of a harbor: checks, repairs and deliveries.'),
      ({ said }) =>
        say(`Its serial number is ${/pump inspected, serial (HX-[\w-]+)/.exec(said)?.[1] ?? 'HX-20913-C'}.`),
    ],
    summary: 'All ten notes were read: a log of a harbor. The pump has the serial number HX-20913-C.',
  },
}

export default task
