import { bash, call, edit, read, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const MOVE = bash('mkdir -p src/time && mv src/util/clock.mjs src/time/clock.mjs && rmdir src/util')
const STATIC: [string, string, string][] = [
  ['src/main.mjs', './util/clock.mjs', './time/clock.mjs'],
  ['src/jobs/nightly.mjs', '../util/clock.mjs', '../time/clock.mjs'],
]

const task: EvalTask = {
  about: 'Moves a module and mends everything that imports it, dynamic imports included.',
  prompts: [
    'Move src/util/clock.mjs to src/time/clock.mjs and mend all imports. Leave nothing behind in the old place.',
  ],
  async check({ hiddenTest }) {
    const problem = await hiddenTest('moved.test.mjs')
    return problem === undefined ? [] : [problem]
  },
  good: {
    steps: [
      call('Grep', { pattern: 'clock', output_mode: 'content' }),
      read('src/main.mjs', 'src/jobs/nightly.mjs', 'src/jobs/weekly.mjs'),
      MOVE,
      edit(...STATIC, ['src/jobs/weekly.mjs', '../util/clock.mjs', '../time/clock.mjs']),
      bash(
        `node -e "import('./src/main.mjs').then(async (m) => console.log(await m.run('nightly'), await m.run('weekly')))"`,
      ),
      say('The clock is in src/time, and both jobs run.'),
    ],
  },
  bad: {
    steps: [
      call('Grep', { pattern: '^(import|export) .*clock', output_mode: 'content' }),
      read('src/main.mjs', 'src/jobs/nightly.mjs'),
      MOVE,
      edit(...STATIC),
      bash(`node -e "import('./src/main.mjs').then(async (m) => console.log(await m.run('nightly')))"`),
      say('The clock is in src/time and the imports are mended.'),
    ],
  },
}

export default task
