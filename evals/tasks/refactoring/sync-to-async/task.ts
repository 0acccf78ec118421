import { edit, read, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const COMMON: [string, string, string][] = [
  ['src/store.mjs', 'export function', 'export async function'],
  ['src/access.mjs', 'export function', 'export async function'],
  ['src/access.mjs', '= loadUser(id)', '= await loadUser(id)'],
  ['src/handlers.mjs', 'export function show', 'export async function show'],
  ['src/handlers.mjs', 'if (!isAllowed(id))', 'if (!(await isAllowed(id)))'],
  ['src/handlers.mjs', 'loadUser(id).name', '(await loadUser(id)).name'],
]

/** A filter whose callback returns a promise keeps everything: that lets everybody in. */
const task: EvalTask = {
  about: 'Makes a function asynchronous, with everything that depends on it; a filter must not let everybody in.',
  prompts: ['`loadUser` in src/store.mjs will read from a database: make it async, and everything that depends on it.'],
  async check({ hiddenTest }) {
    const problem = await hiddenTest('async.test.mjs')
    return problem === undefined ? [] : [problem]
  },
  good: {
    steps: [
      read('src/store.mjs', 'src/access.mjs', 'src/handlers.mjs'),
      edit(
        ...COMMON,
        ['src/handlers.mjs', 'export function allowedOf', 'export async function allowedOf'],
        [
          'src/handlers.mjs',
          '  return ids.filter((id) => isAllowed(id))\n',
          '  const allowed = await Promise.all(ids.map((id) => isAllowed(id)))\n  return ids.filter((_id, index) => allowed[index])\n',
        ],
      ),
      say('loadUser and all that depends on it are asynchronous; allowedOf waits for every answer.'),
    ],
  },
  bad: {
    steps: [
      read('src/store.mjs', 'src/access.mjs', 'src/handlers.mjs'),
      edit(
        ...COMMON,
        ['src/handlers.mjs', 'export function allowedOf', 'export async function allowedOf'],
        ['src/handlers.mjs', 'ids.filter((id) => isAllowed(id))', 'ids.filter(async (id) => await isAllowed(id))'],
      ),
      say('loadUser and all that depends on it are asynchronous now.'),
    ],
  },
}

export default task
