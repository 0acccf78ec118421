/**
 * A Trestle with running tasks, to be killed: `task-client.ts HOME CWD COUNT COMMAND`. Prints `task <id>` for each
 * background task it has started, then runs `FOREGROUND`, if set in the environment, as a call that it waits for, and
 * prints `foreground <output>` with its first output.
 */
import { openSupervisor } from './source-task-host.ts'

const [home = '', cwd = '', count = '0', command = ''] = process.argv.slice(2)
const supervisor = openSupervisor(home)
for (let index = 0; index < Number(count); index += 1) {
  const { taskId } = await supervisor.start({
    command: command.replaceAll('INDEX', String(index)),
    cwd,
    timeoutMs: null,
  })
  process.stdout.write(`task ${taskId}\n`)
}
const foreground = process.env['FOREGROUND']
if (foreground !== undefined) {
  const onOutput = (raw: string): void => void process.stdout.write(`foreground ${raw}\n`)
  await supervisor.terminals.run(
    { command: foreground, cwd, timeoutMs: null, signal: new AbortController().signal, onOutput },
    1000,
  )
}
process.stdout.write('started\n')
setInterval(() => {}, 1000)
