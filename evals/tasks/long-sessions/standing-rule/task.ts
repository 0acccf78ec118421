import { readsOfNotes, SMALL_WINDOW, writeLongNotes } from '../../../support/long-notes.ts'
import { say, write } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const BODY = 'export function greet(name) {\n\treturn `Hello ${name}`\n}\n'

const task: EvalTask = {
  about: 'Still follows a rule of the first message when it writes a file after a compaction.',
  contextWindow: SMALL_WINDOW,
  prompts: [
    'A rule for all of this session: each new source file begins with the line "// owner: team-harbor" and is indented with tabs. Now read each file in notes/, whole and one after the other, and tell me on which day the lamp of the light-house was replaced.',
    'Write src/greet.mjs. It exports a function greet(name) that returns "Hello " and the name.',
  ],
  setup: ({ project }) => writeLongNotes(project, 10, { 6: '- 11:15 light-house: lamp replaced' }),
  check({ read }) {
    const text = read('src/greet.mjs')
    if (text === undefined) return ['There is no src/greet.mjs.']
    return [
      ...(text.startsWith('// owner: team-harbor\n') ? [] : ['The file does not begin with the line of its owner.']),
      ...(/^ +\S/m.test(text) ? ['The file is indented with spaces.'] : []),
      ...(/export (?:function|const) greet\b/.test(text) ? [] : ['The file does not export greet.']),
    ]
  },
  good: {
    steps: [
      ...readsOfNotes(1, 10),
      say('On day 6.'),
      ({ said }) =>
        write('src/greet.mjs', `${/begins with the line \\?"(\/\/ owner: [\w-]+)\\?"/.exec(said)?.[1]}\n${BODY}`),
      say('src/greet.mjs is written, with its owner and tabs.'),
    ],
    summary: 'All ten notes were read: the lamp was replaced on day 6.',
  },
  bad: {
    steps: [
      ...readsOfNotes(1, 10),
      say('On day 6.'),
      write('src/greet.mjs', BODY.replace('\t', '  ')),
      say('src/greet.mjs is written.'),
    ],
    summary: 'All ten notes were read: the lamp was replaced on day 6.',
  },
}

export default task
