import { checkLocation, foundLocation, locationIn, writeGeneratedTree } from '../../../support/generated-tree.ts'
import { bash, call, read, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const handler = (name: string, end: string): string => `import { acquire, settle } from '../lock.ts'

/** Holds the lock of ${name} while it works. */
export async function ${name}(id: string): Promise<void> {
  const lock = await acquire('${name}', id)
  try {
    await lock.work()
  } finally {
    ${end}
  }
}
`
const NAMES = Array.from({ length: 80 }, (_, n) => `handle${String(n).padStart(2, '0')}`)
const GUILTY = 'handle57'
const SETTLES = 'handle23'
const pathOf = (name: string): string => `src/handlers/${name}.ts`
const endOf = (name: string): string =>
  name === GUILTY
    ? '// lock.release() is done by the caller\n    await lock.flush()'
    : name === SETTLES
      ? 'await settle(lock)'
      : 'await lock.release()'
const SPECIAL = {
  ...Object.fromEntries(NAMES.map((name) => [pathOf(name), handler(name, endOf(name))])),
  'src/lock.ts': `export interface Lock {\n  work(): Promise<void>\n  flush(): Promise<void>\n  release(): Promise<void>\n}\n\nexport declare function acquire(name: string, id: string): Promise<Lock>\n\n/** Writes what is left and releases. */\nexport async function settle(lock: Lock): Promise<void> {\n  await lock.flush()\n  await lock.release()\n}\n`,
  'src/main.ts': `export { ${GUILTY} } from './handlers/${GUILTY}.ts'\n`,
}

/** A comment in the guilty file says that the lock is released; another file releases it by another name. */
const task: EvalTask = {
  about: 'Finds the one of 80 handlers that keeps its lock; another one releases it by another name.',
  prompts: [
    'One of the functions in src/handlers never releases the lock that it acquires; nobody else releases it either. Which? Answer with path:line of the line that acquires it, and nothing else.',
  ],
  setup: ({ project }) => writeGeneratedTree(project, SPECIAL),
  check: ({ answer }) =>
    checkLocation(answer, locationIn(pathOf(GUILTY), handler(GUILTY, endOf(GUILTY)), 'await acquire(')),
  good: {
    steps: [
      bash("grep -L '^ *await lock.release()' src/handlers/*.ts"),
      read(pathOf(GUILTY), pathOf(SETTLES), 'src/lock.ts', 'src/main.ts'),
      call('Grep', { pattern: 'await acquire\\(', path: 'src/handlers', glob: `${GUILTY}.ts`, output_mode: 'content' }),
      ({ said }) => say(foundLocation(said, pathOf(GUILTY), 'await acquire(')),
    ],
  },
  bad: {
    steps: [
      bash("grep -L 'lock.release()' src/handlers/*.ts"),
      call('Grep', {
        pattern: 'await acquire\\(',
        path: 'src/handlers',
        glob: `${SETTLES}.ts`,
        output_mode: 'content',
      }),
      ({ said }) => say(foundLocation(said, pathOf(SETTLES), 'await acquire(')),
    ],
  },
}

export default task
