import { bash, edit, read, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const SHIFT = '  date.setUTCMonth(date.getUTCMonth() + months)\n'
const CLAMPED = `  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
`

const task: EvalTask = {
  about: 'Mends the days of bills at the ends of months, in the series as well as in the single step.',
  prompts: ['Customers who joined on the 31st are billed on wrong days. Mend src/next-billing.mjs.'],
  async check({ hiddenTest }) {
    const problem = await hiddenTest('next-billing.test.mjs')
    return problem === undefined ? [] : [problem]
  },
  good: {
    steps: [
      read('src/next-billing.mjs', 'test/next-billing.test.mjs'),
      edit(
        ['src/next-billing.mjs', SHIFT, CLAMPED],
        [
          'src/next-billing.mjs',
          '  const days = [first]\n  while (days.length < count) days.push(billingDay(days.at(-1), 1))\n  return days\n',
          '  return Array.from({ length: count }, (_, months) => billingDay(first, months))\n',
        ],
      ),
      bash('node --test'),
      say('Bills fall on the last day of short months and return to the 31st afterwards.'),
    ],
  },
  // The single step is right; the series still goes from each bill to the next and stays on the 28th.
  bad: {
    steps: [
      read('src/next-billing.mjs', 'test/next-billing.test.mjs'),
      edit(['src/next-billing.mjs', SHIFT, CLAMPED]),
      bash('node --test'),
      say('Bills fall on the last day of short months now; the tests pass.'),
    ],
  },
}

export default task
