import { checkLocation, foundLocation, locationIn, writeGeneratedTree } from '../../../support/generated-tree.ts'
import { call, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const PATH = 'src/queue/drain-shard.ts'
const DRAIN = `import { Codes } from '../errors/codes.ts'
import { raise } from '../errors/raise.ts'

export function drainShard(pending: number, seconds: number): void {
  if (pending === 0) return
  if (seconds > 90) raise(Codes.lateDrain, { pending })
}
`
const CODES = `export const Codes = {
  fullQueue: 4311,
  lateDrain: 4312,
  lateDrainOfMail: 4313,
} as const
`
const SPECIAL = {
  [PATH]: DRAIN,
  'src/errors/codes.ts': CODES,
  'src/errors/raise.ts': `import texts from './texts.json' with { type: 'json' }\n\nexport function raise(code: number, details: object): never {\n  throw new Error(\`E-\${code}: \${(texts as Record<string, string>)[code]} \${JSON.stringify(details)}\`)\n}\n`,
  'src/errors/texts.json': `{\n  "4311": "queue is full",\n  "4312": "queue drained late",\n  "4313": "queue drained late"\n}\n`,
  'src/mail/drain-mail.ts': `import { Codes } from '../errors/codes.ts'\nimport { raise } from '../errors/raise.ts'\n\nexport function drainMail(late: boolean): void {\n  if (late) raise(Codes.lateDrainOfMail, {})\n}\n`,
}

/** The message is nowhere in the code: its number and its words stand in different files. */
const task: EvalTask = {
  about: 'Finds the line that raises an error whose message is put together from a code and a table of texts.',
  prompts: [
    'The log says "E-4312: queue drained late". Which line of the code raises this error? Answer with path:line and nothing else.',
  ],
  setup: ({ project }) => writeGeneratedTree(project, SPECIAL),
  check: ({ answer }) => checkLocation(answer, locationIn(PATH, DRAIN, 'raise(Codes')),
  good: {
    steps: [
      call('Grep', { pattern: '4312|queue drained late', output_mode: 'content' }),
      call('Grep', { pattern: 'Codes\\.lateDrain\\b', output_mode: 'content' }),
      ({ said }) => say(foundLocation(said, PATH, 'Codes.lateDrain')),
    ],
  },
  bad: {
    steps: [
      call('Grep', { pattern: '4312', output_mode: 'content' }),
      ({ said }) => say(foundLocation(said, 'src/errors/codes.ts', '4312')),
    ],
  },
}

export default task
