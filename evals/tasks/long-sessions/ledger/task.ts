import { noteOf, readOfNote, SMALL_WINDOW, writeLongNotes } from '../../../support/long-notes.ts'
import { call, say } from '../../../runner/solution-steps.ts'
import type { SolutionStep, EvalTask } from '../../../runner/task'

const DAYS = 10
/** The visitors of each day stand in the middle of its note. */
const visitors = (day: number): number => 40 + ((day * 17) % 23)

const append = (day: number, count: number) => ({
  name: 'Write',
  input: { path: `ledger/${day}.txt`, content: `${count}\n` },
})
const entries = (from: number, to: number): SolutionStep[] =>
  Array.from({ length: to - from + 1 }, (_, index) =>
    readOfNote(from + index, append(from + index, visitors(from + index))),
  )

const task: EvalTask = {
  about:
    'Works through ten long files without leaving one out or mixing them up, though the conversation is compacted on the way.',
  contextWindow: SMALL_WINDOW,
  prompts: [
    'Each file in notes/ says somewhere how many visitors came that day. Read them whole and one after the other, and after each write the number into ledger/<day>.txt (ledger/1.txt for day 1). At the end write their sum into ledger/sum.txt.',
  ],
  setup: ({ project }) =>
    writeLongNotes(
      project,
      DAYS,
      Object.fromEntries(
        Array.from({ length: DAYS }, (_, index) => [
          index + 1,
          `- 11:15 north gate: ${visitors(index + 1)} visitors in all`,
        ]),
      ),
    ),
  check({ read }) {
    const days = Array.from({ length: DAYS }, (_, index) => index + 1)
    const wrong = days.filter((day) => read(`ledger/${day}.txt`)?.trim() !== String(visitors(day)))
    const sum = days.reduce((total, day) => total + visitors(day), 0)
    const written = read('ledger/sum.txt')?.trim()
    return [
      ...(wrong.length > 0
        ? [`Missing or wrong: ${wrong.map((day) => `ledger/${day}.txt (${noteOf(day)})`).join(', ')}.`]
        : []),
      ...(written === String(sum) ? [] : [`The sum is ${written ?? 'missing'}; right is ${sum}.`]),
    ]
  },
  good: {
    steps: [
      ...entries(1, DAYS),
      call('Grep', { pattern: '\\d+', path: 'ledger', output_mode: 'content', '-n': false }),
      ({ said }) => {
        const counts = new Map(
          [...said.matchAll(/ledger\/(\d+)\.txt:(\d+)/g)].map(([, day, count]) => [day, Number(count)]),
        )
        return call('Write', {
          path: 'ledger/sum.txt',
          content: `${[...counts.values()].reduce((total, count) => total + count, 0)}\n`,
        })
      },
      say('All ten numbers and their sum are in ledger/.'),
    ],
    summary: 'The notes are read in turn and each number is written to ledger/; then comes ledger/sum.txt.',
  },
  // Goes on one day too far after the compaction, and adds up what it remembers.
  bad: {
    steps: [
      ...entries(1, 5),
      ...entries(7, DAYS),
      call('Write', {
        path: 'ledger/sum.txt',
        content: `${[1, 2, 3, 4, 5, 7, 8, 9, 10].reduce((total, day) => total + visitors(day), 0)}\n`,
      }),
      say('All numbers and their sum are in ledger/.'),
    ],
    summary: 'Days 1 to 6 are done; go on with day 7, then write ledger/sum.txt.',
  },
}

export default task
