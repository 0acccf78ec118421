import { bash, edit, read, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const GET = '      return entry && entry.value\n'
const SET = '      entries.set(key, { value, at: now() })\n'

const task: EvalTask = {
  about: 'Makes a cache expire and evict as its documentation says; reading may not prolong an entry.',
  prompts: ['`node --test` fails: the cache never forgets. Make src/cache.mjs do all that its comment says.'],
  async check({ hiddenTest }) {
    const problem = await hiddenTest('cache.test.mjs')
    return problem === undefined ? [] : [problem]
  },
  good: {
    steps: [
      read('src/cache.mjs', 'test/cache.test.mjs'),
      edit(
        [
          'src/cache.mjs',
          GET,
          '      if (!entry) return undefined\n      entries.delete(key)\n      if (now() - entry.at > ttlMs) return undefined\n      entries.set(key, entry)\n      return entry.value\n',
        ],
        ['src/cache.mjs', SET, `      entries.delete(key)\n${SET}`],
      ),
      bash('node --test'),
      say('Entries expire, and the one that was not used for longest goes first.'),
    ],
  },
  // Evicts well, but each read begins the time of the entry anew.
  bad: {
    steps: [
      read('src/cache.mjs', 'test/cache.test.mjs'),
      edit(
        [
          'src/cache.mjs',
          GET,
          '      if (!entry) return undefined\n      entries.delete(key)\n      if (now() - entry.at > ttlMs) return undefined\n      entries.set(key, { value: entry.value, at: now() })\n      return entry.value\n',
        ],
        ['src/cache.mjs', SET, `      entries.delete(key)\n${SET}`],
      ),
      bash('node --test'),
      say('The cache forgets entries now, and the tests pass.'),
    ],
  },
}

export default task
