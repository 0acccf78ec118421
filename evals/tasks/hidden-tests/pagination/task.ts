import { bash, edit, read, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const START = '  const pages = Math.floor(items.length / size)\n  const start = page * size\n'

/** The visible test covers one of five cases that the README describes. */
const task: EvalTask = {
  about: 'Mends paging so that all of the README holds, not only the one test that is there.',
  prompts: [
    'The first page of our lists is wrong: it begins with the third item. Mend paginate so that it does what the README says.',
  ],
  async check({ hiddenTest }) {
    const problem = await hiddenTest('paginate.test.mjs')
    return problem === undefined ? [] : [problem]
  },
  good: {
    steps: [
      read('README.md', 'src/paginate.mjs', 'test/paginate.test.mjs'),
      edit(
        [
          'src/paginate.mjs',
          START,
          '  const pages = Math.max(1, Math.ceil(items.length / size))\n  const shown = Math.min(Math.max(1, page), pages)\n  const start = (shown - 1) * size\n',
        ],
        ['src/paginate.mjs', 'start + size), page, pages', 'start + size), page: shown, pages'],
      ),
      bash('node --test'),
      say('paginate follows the README now, and the tests pass.'),
    ],
  },
  bad: {
    steps: [
      read('src/paginate.mjs', 'test/paginate.test.mjs'),
      edit(['src/paginate.mjs', 'const start = page * size', 'const start = (page - 1) * size']),
      bash('node --test'),
      say('The first page begins with the first item now, and the tests pass.'),
    ],
  },
}

export default task
