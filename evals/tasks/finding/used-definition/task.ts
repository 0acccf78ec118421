import { checkLocation, foundLocation, locationIn, writeGeneratedTree } from '../../../support/generated-tree.ts'
import { call, read, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const PATH = 'src/tax/rules/fees-by-contract.ts'
const FEES = `import { log } from '../../log.ts'

const DAILY = 0.0002

/** What a customer pays for each day after the due date. */
export const lateFee = (cents: number, days: number): number => {
  log('late fee', String(days))
  return Math.ceil(cents * DAILY * days)
}
`
const SPECIAL = {
  'package.json': `{ "name": "shop", "type": "module", "imports": { "#fees": "./${PATH}" } }\n`,
  [PATH]: FEES,
  'src/billing/fees.ts': `/** Used by the old shop only. */\nexport function lateFee(cents: number): number {\n  return cents + 500\n}\n`,
  'src/billing/index.ts': `export { lateFee } from './fees.ts'\n`,
  'src/checkout/overdue.ts': `import { lateFee } from '#fees'\n\nexport const overdue = (cents: number, days: number): number => cents + lateFee(cents, days)\n`,
  'test/overdue.test.ts': `const lateFee = (): number => 7\n\nexport const fake = { lateFee }\n`,
}

/** Five files have the name; an alias in package.json says which of them is used. */
const task: EvalTask = {
  about: 'Finds which of several functions of one name is used, through an alias in package.json.',
  prompts: [
    'Where is the function `lateFee` defined that src/checkout/overdue.ts uses? Answer with path:line of the line where its definition begins, and nothing else.',
  ],
  setup: ({ project }) => writeGeneratedTree(project, SPECIAL),
  check: ({ answer }) => checkLocation(answer, locationIn(PATH, FEES, 'lateFee =')),
  good: {
    steps: [
      call('Grep', { pattern: 'lateFee', output_mode: 'content' }),
      read('src/checkout/overdue.ts', 'package.json'),
      call('Grep', { pattern: 'lateFee =', path: PATH, output_mode: 'content' }),
      ({ said }) => say(foundLocation(said, PATH, 'lateFee =')),
    ],
  },
  bad: {
    steps: [
      call('Grep', { pattern: 'function lateFee', output_mode: 'content' }),
      ({ said }) => say(foundLocation(said, 'src/billing/fees.ts', 'function lateFee')),
    ],
  },
}

export default task
