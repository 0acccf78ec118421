import { readsOfNotes, SMALL_WINDOW, writeLongNotes } from '../../../support/long-notes.ts'
import { say, write } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const limits = (retries: string | undefined, pause: string | undefined): string =>
  `{ "retries": ${retries}, "pauseSeconds": ${pause} }\n`

const task: EvalTask = {
  about: 'Uses the decision that holds, after an earlier one was changed and the conversation was compacted.',
  contextWindow: SMALL_WINDOW,
  prompts: [
    'We have decided: 3 retries with a pause of 20 seconds. Do not write anything yet. Read notes/day-01.md to notes/day-05.md, whole and one after the other, and tell me whether the north gate is mentioned on each day.',
    'Change of plan: 7 retries. The pause stays. Now read notes/day-06.md to notes/day-10.md in the same way, and tell me the same.',
    'Write limits.json with what we have decided, as { "retries": number, "pauseSeconds": number }.',
  ],
  setup: ({ project }) => writeLongNotes(project, 10),
  check({ read }) {
    const text = read('limits.json')
    if (text === undefined) return ['There is no limits.json.']
    const { retries, pauseSeconds } = JSON.parse(text) as Record<string, unknown>
    return [
      ...(retries === 7 ? [] : [`retries is ${String(retries)}; decided were 7.`]),
      ...(pauseSeconds === 20 ? [] : [`pauseSeconds is ${String(pauseSeconds)}; decided were 20.`]),
    ]
  },
  good: {
    steps: [
      ...readsOfNotes(1, 5),
      say('Yes, on each of the five days.'),
      ...readsOfNotes(6, 10),
      say('Yes, on each of these days, too.'),
      ({ said }) =>
        write(
          'limits.json',
          limits(/Change of plan: (\d+) retries/.exec(said)?.[1], /a pause of (\d+) seconds/.exec(said)?.[1]),
        ),
      say('limits.json has 7 retries and a pause of 20 seconds.'),
    ],
    summary: 'The notes are read one after the other; the north gate is mentioned on each day so far.',
  },
  bad: {
    steps: [
      ...readsOfNotes(1, 5),
      say('Yes, on each of the five days.'),
      ...readsOfNotes(6, 10),
      say('Yes, on each of these days, too.'),
      write('limits.json', limits('3', '20')),
      say('limits.json has what we have decided.'),
    ],
    summary:
      'Decided: 3 retries with a pause of 20 seconds. The notes are read; the north gate is mentioned on each day.',
  },
}

export default task
