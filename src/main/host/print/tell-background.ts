import { reportBackground } from '../../command-line/report-background'
import { oneLine } from '../../command-line/safe-text'
import type { Engine } from '../../engine/engine-api'

/** Says on stderr what of the session runs on in the background when the program ends now. */
export async function tellBackground(engine: Engine, sessionId: string): Promise<void> {
  const { news } = engine.sessions.header(sessionId)
  if (news.length === 0) return
  const running = (await engine.tasks.list({ activeOnly: true })).filter(
    (task) => task.sessionId === sessionId && news.some(({ taskId }) => taskId === task.taskId),
  )
  const commands = running.filter(({ agent }) => !agent)
  reportBackground(
    engine,
    commands.filter(({ taskId }) => !engine.tasks.endsHere(taskId)),
  )
  const ending = commands.filter(({ taskId }) => engine.tasks.endsHere(taskId))
  if (ending.length > 0) {
    const what = ending.map(({ taskId, description, command }) => `${taskId} (${oneLine(description ?? command)})`).join(', ')
    process.stderr.write(
      `trestle: ${ending.length === 1 ? 'a command that took longer than its time limit is' : `${ending.length} commands that took longer than their time limit are`} stopped with this program: ${what}. To have one go on, let the agent start it in the background.\n`,
    )
  }
  const agents = running.filter(({ agent }) => agent)
  if (agents.length === 0) return
  const names = agents.map(({ taskId, description = '' }) => `${taskId} (${description})`).join(', ')
  process.stderr.write(
    `trestle: ${agents.length === 1 ? 'a subagent ends' : `${agents.length} subagents end`} with this program, unfinished: ${names}. The agent is told when the session goes on, and can resume ${agents.length === 1 ? 'it' : 'them'}.\n`,
  )
}
