import { dirname, join } from 'node:path'
import { taskHostProgram } from '../engine/task/client/task-host-program'

/**
 * The command that runs `trestle engine` for a home, with plain Node. A packaged app first copies the runtime into the
 * home folder, so that the engine outlives the app.
 */
export async function engineProgram(home: string): Promise<readonly string[]> {
  const command = await taskHostProgram().program(home)
  const taskHost = command.at(-1) ?? ''
  const extension = taskHost.endsWith('.ts') ? '.ts' : '.js'
  // The engine is mostly idle: a small young generation saves 10 MB.
  return [
    command[0]!,
    '--max-semi-space-size=2',
    ...command.slice(1, -1),
    join(dirname(taskHost), `cli${extension}`),
    'engine',
  ]
}
