import { checkLocation, foundLocation, locationIn, writeGeneratedTree } from '../../../support/generated-tree.ts'
import { call, read, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const settings = (name: string, payments: number): string => `/** Settings of ${name}; times in ms. */
export const ${name} = {
  search: { timeoutMs: ${payments + 100} },
  payments: {
    retries: 3,
    timeoutMs: ${payments},
  },
  mail: { timeoutMs: ${payments + 700} },
}
`
const PATH = 'src/settings/regions/north.ts'
const NORTH = settings('north', 8500)
const SPECIAL = {
  'src/settings/defaults.ts': settings('defaults', 3000),
  'src/settings/production.ts': settings('production', 12_000),
  'src/settings/staging.ts': settings('staging', 4000),
  'src/settings/regions/south.ts': settings('south', 9500),
  [PATH]: NORTH,
  'src/settings/load.ts': `import { defaults } from './defaults.ts'
import { production } from './production.ts'
import { north } from './regions/north.ts'
import { south } from './regions/south.ts'
import { staging } from './staging.ts'

const regions = { north, south }
const stages = { production, staging }

/** All settings of one installation. */
export function load(stage: keyof typeof stages, region: keyof typeof regions) {
  const layers = [regions[region], stages[stage], defaults]
  return layers.reduceRight<Partial<typeof defaults>>((merged, layer) => ({ ...merged, ...layer }), {})
}
`,
}

/** The layers are merged from the right: the region, which stands first, has the last word, not the stage. */
const task: EvalTask = {
  about: 'Finds which of five layers of settings is in force, by the order in which they are merged.',
  prompts: [
    'Which line sets the value of `payments.timeoutMs` that load("production", "north") of src/settings/load.ts returns? Answer with path:line and nothing else.',
  ],
  setup: ({ project }) => writeGeneratedTree(project, SPECIAL),
  check: ({ answer }) => checkLocation(answer, locationIn(PATH, NORTH, 'timeoutMs: 8500')),
  good: {
    steps: [
      read('src/settings/load.ts'),
      call('Grep', { pattern: 'timeoutMs', path: 'src/settings', output_mode: 'content' }),
      ({ said }) => say(foundLocation(said, PATH, 'timeoutMs: 8500')),
    ],
  },
  bad: {
    steps: [
      read('src/settings/load.ts'),
      call('Grep', { pattern: 'timeoutMs', path: 'src/settings', output_mode: 'content' }),
      ({ said }) => say(foundLocation(said, 'src/settings/production.ts', 'timeoutMs: 12000')),
    ],
  },
}

export default task
