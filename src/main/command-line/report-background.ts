import type { Task } from '../../shared/model/task'
import type { Engine } from '../engine/engine-api'
import { oneLine } from './safe-text'

/** Longer lists are no help. */
const MOST_NAMED = 5

/** Says on stderr what runs on in the background when the program ends now, and how to stop it. */
export function reportBackground({ tasks }: Pick<Engine, 'tasks'>, running: readonly Task[]): void {
  if (running.length === 0) return
  const names = running.slice(0, MOST_NAMED).map(({ taskId, description, command }) => `${taskId} (${oneLine(description ?? command)})`)
  if (running.length > MOST_NAMED) names.push(`${running.length - MOST_NAMED} more`)
  const what = running.length === 1 ? 'background task' : 'background tasks'
  process.stderr.write(
    tasks.onExit() === 'stop'
      ? `trestle: stopping ${running.length} ${what}, as [tasks] on_exit says: ${names.join(', ')}\n`
      : `trestle: ${running.length} ${what} ${running.length === 1 ? 'runs' : 'run'} on: ${names.join(', ')}. Look with "trestle task list", end with "trestle task stop ID".\n`,
  )
}
