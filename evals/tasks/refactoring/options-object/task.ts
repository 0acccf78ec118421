import { call, edit, read, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const COMMON: [string, string, string][] = [
  ['src/send.mjs', 'urgent = false, quiet = false)', '{ urgent = false, quiet = false } = {})'],
  ['src/alerts.mjs', "'The disk is full', true)", "'The disk is full', { urgent: true })"],
  ['src/alerts.mjs', "'The backup is done', false, true)", "'The backup is done', { quiet: true })"],
]

/** Two callers are not found by a search for `send(`: one passes its arguments on, one calls it by another name. */
const task: EvalTask = {
  about:
    'Changes the flags of a function to an object of options, with all callers, those that pass arguments on included.',
  prompts: [
    'Change `send(to, text, urgent, quiet)` to `send(to, text, { urgent, quiet })`, with all its callers. `broadcast` shall take the same options object.',
  ],
  async check({ hiddenTest }) {
    const problem = await hiddenTest('send.test.mjs')
    return problem === undefined ? [] : [problem]
  },
  good: {
    steps: [
      call('Grep', { pattern: 'send\\.mjs' }),
      read('src/send.mjs', 'src/alerts.mjs', 'src/broadcast.mjs', 'src/welcome.mjs'),
      edit(
        ...COMMON,
        ['src/broadcast.mjs', 'text, ...flags) {', 'text, options) {'],
        ['src/broadcast.mjs', 'text, ...flags))', 'text, options))'],
        ['src/broadcast.mjs', "'Down at nine', true, true)", "'Down at nine', { urgent: true, quiet: true })"],
        ['src/welcome.mjs', "'Welcome', false, true)", "'Welcome', { quiet: true })"],
      ),
      say('send and broadcast take an options object, and all callers pass one.'),
    ],
  },
  bad: {
    steps: [
      call('Grep', { pattern: '\\bsend\\(', output_mode: 'content' }),
      read('src/send.mjs', 'src/alerts.mjs'),
      edit(...COMMON),
      say('send takes an options object now; I changed its callers.'),
    ],
  },
}

export default task
