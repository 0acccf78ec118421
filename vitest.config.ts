import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files of integration and conformance tests that take longest, 25 s to two minutes. */
const LONGEST = [
  'recipes',
  'mcp-cli',
  'evals',
  'sandbox-escapes',
  'places-slurm',
  'places-stories',
  'desktop-package',
  'obedient-model',
  'everyday-commands',
  'inbox-restart',
  'strict-model-server',
  'chat-terminal',
  'plugins',
  'obedient-print',
  'mcp-misbehaviour',
  'mcp-conformance',
  'permission-hosts',
  'tasks-load',
  'mcp-official',
  'print',
  'assistant-tools',
  'host-electron-page',
  'hooks',
  'plugins-by-user',
  'schedules',
  'hostile-folder',
  'git-hostile-attacks',
]

function placeOf({ moduleId }: TestSpecification): number {
  const at = LONGEST.findIndex((name) => moduleId.includes('/test/') && moduleId.endsWith(`/${name}.test.ts`))
  return at < 0 ? LONGEST.length : at
}

/**
 * Starts the longest files first. Without the durations of an earlier run Vitest sorts by size, and a short file that
 * takes long and starts last keeps the other workers idle.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

/**
 * Unit tests stand beside their file (in evals/tasks are the tests of what agents work on, which are not ours);
 * integration and conformance tests below test/. The stories of e2e/ run on Playwright.
 */
export default defineConfig({
  test: {
    environment: 'node',
    globalSetup: 'test/support/run-folder.ts',
    // No test asks the key store of whoever runs it.
    env: { TRESTLE_KEY_STORE: 'file' },
    // A guard against tests that hang, also on a machine with much else to do.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // The default of a second is short on a busy machine; a condition that holds is seen at once.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    // Tests wait for nearly half of their time: twice as many as the two cores of a small machine. Tests must not
    // assume an idle one.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // The package's CommonJS form hides its names from Node; the bundle has its ES modules too.
    server: { deps: { inline: ['jsonc-parser'] } },
    reporters: ['default'],
    projects: [
      // They share their modules: starting a worker for each file would take longer than most of them.
      {
        extends: true,
        test: { name: 'unit', include: ['src/**/*.test.{ts,tsx}', 'evals/runner/*.test.ts'], isolate: false },
      },
      { extends: true, test: { name: 'integration', include: ['test/{integration,conformance}/**/*.test.ts'] } },
    ],
  },
})
