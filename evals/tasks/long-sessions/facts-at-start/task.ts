import { readsOfNotes, SMALL_WINDOW, writeLongNotes } from '../../../support/long-notes.ts'
import { say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const FACTS = ['Heliotrope', '4170', 'Mira Lindqvist']

/** The notes have the same kinds of facts about last year's release. */
const task: EvalTask = {
  about: 'Still knows three facts of the first message after reading more than the window holds.',
  contextWindow: SMALL_WINDOW,
  prompts: [
    'Facts for later: this release is called Heliotrope, it listens on port 4170, and Mira Lindqvist approves it. First read each file in notes/, whole and one after the other, and tell me on which day the crane was out of order.',
    'From memory, without looking into any file: what is this release called, on which port does it listen, and who approves it?',
  ],
  setup: ({ project }) =>
    writeLongNotes(project, 10, {
      4: '- 11:15 last year: release Amaranth on port 4100, approved by Jon Sander',
      7: '- 11:15 pier two: crane out of order until the evening',
    }),
  check: ({ answer }) => FACTS.filter((fact) => !answer.includes(fact)).map((fact) => `The answer lacks "${fact}".`),
  good: {
    steps: [
      ...readsOfNotes(1, 10),
      say('The crane was out of order on day 7.'),
      ({ said }) => {
        const [, name, port, approver] =
          /release is called (\w+), it listens on port (\d+), and ([A-Z]\w+ [A-Z]\w+) approves/.exec(said) ?? []
        return say(`It is called ${name}, listens on port ${port}, and ${approver} approves it.`)
      },
    ],
    summary: 'All ten notes were read: the crane was out of order on day 7.',
  },
  bad: {
    steps: [
      ...readsOfNotes(1, 10),
      say('The crane was out of order on day 7.'),
      say('It is called Amaranth, listens on port 4100, and Jon Sander approves it.'),
    ],
    summary:
      'The notes were read. Release Amaranth, port 4100, approved by Jon Sander. The crane was out of order on day 7.',
  },
}

export default task
