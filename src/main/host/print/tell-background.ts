import { reportBackground } from '../../command-line/report-background'
import type { Engine } from '../../engine/engine-api'

/** Says on stderr what of the session runs on in the background when the program ends now. */
export async function tellBackground(engine: Engine, sessionId: string): Promise<void> {
  const { news } = engine.sessions.header(sessionId)
  if (news.length === 0) return
  const running = (await engine.tasks.list({ activeOnly: true })).filter(
    (task) => task.sessionId === sessionId && news.some(({ taskId }) => taskId === task.taskId),
  )
  reportBackground(
    engine,
    running.filter(({ agent }) => !agent),
  )
  const agents = running.filter(({ agent }) => agent)
  if (agents.length === 0) return
  const names = agents.map(({ taskId, description = '' }) => `${taskId} (${description})`).join(', ')
  process.stderr.write(
    `trestle: ${agents.length === 1 ? 'a subagent ends' : `${agents.length} subagents end`} with this program, unfinished: ${names}. The agent is told when the session goes on, and can resume ${agents.length === 1 ? 'it' : 'them'}.\n`,
  )
}
