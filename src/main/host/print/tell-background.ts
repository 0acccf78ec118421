import type { Engine } from '../../engine/engine-api'

/** Longer lists are no help. */
const MOST_NAMED = 5

/** Says on stderr what of the session runs on in the background when the program ends now. */
export async function tellBackground(engine: Engine, sessionId: string): Promise<void> {
  const { news } = engine.sessions.header(sessionId)
  if (news.length === 0) return
  const running = (await engine.tasks.list({ activeOnly: true })).filter(
    (task) => task.sessionId === sessionId && news.some(({ taskId }) => taskId === task.taskId),
  )
  if (running.length === 0) return
  const names = running.slice(0, MOST_NAMED).map(({ taskId, description, command }) => `${taskId} (${description ?? command})`)
  if (running.length > MOST_NAMED) names.push(`${running.length - MOST_NAMED} more`)
  const what = running.length === 1 ? 'background task' : 'background tasks'
  const stops = engine.tasks.onExit() === 'stop'
  process.stderr.write(
    stops
      ? `trestle: stopping ${running.length} ${what}, as [tasks] on_exit says: ${names.join(', ')}\n`
      : `trestle: ${running.length} ${what} ${running.length === 1 ? 'runs' : 'run'} on: ${names.join(', ')}. Look with "trestle task list", end with "trestle task stop ID".\n`,
  )
}
