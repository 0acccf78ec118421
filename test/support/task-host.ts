/**
 * A host with running commands, to be killed: `task-host.ts OUTPUT_DIR COMMAND...`. Prints `<index>: <first line of the
 * output>`.
 */
import { DEFAULT_SETTINGS } from '../../src/main/engine/config/settings/settings'
import { commandEnv } from '../../src/main/engine/environment/command-env'
import { createTerminalTasks } from '../../src/main/engine/task/run/in-process-tasks'

const [outputDir = '', ...commands] = process.argv.slice(2)
const tasks = createTerminalTasks({ outputDir, env: () => commandEnv(process.env, DEFAULT_SETTINGS) })
const ended = Promise.all(
  commands.map((command, index) =>
    tasks.run(
      {
        command,
        cwd: process.cwd(),
        timeoutMs: null,
        signal: new AbortController().signal,
        onOutput: (raw) => void process.stdout.write(`${index}: ${raw.split('\n')[0]}\n`),
      },
      1_000,
    ),
  ),
)
// One more leader, which waits for a command that never arrives.
tasks.warm()
await ended
