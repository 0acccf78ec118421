import { ignoreOthers } from '../../../shared/events/event-uses'
import type { RecordedEvent } from '../../../shared/events/event'
import { textOf } from '../../../shared/model/message'
import type { Engine } from '../../engine/engine-api'
import { shortLine, table } from '../../console/output'

const WINDOW = 2000

/** Newest first. */
export function listSessions(
  engine: Engine,
  { all, limit, isJson }: { all: boolean; limit: number; isJson: boolean },
): number {
  const active = engine.sessions.list({ limit })
  const sessions = all ? [...active, ...engine.sessions.list({ archived: true, limit })].slice(0, limit) : active
  if (isJson) return say(`${JSON.stringify(sessions)}\n`)
  if (sessions.length === 0) return say('There are no sessions.\n')
  const rows = sessions.map(({ sessionId, status, updatedAt, title, folder }) => [
    sessionId,
    status,
    new Date(updatedAt).toISOString().slice(0, 16),
    shortLine(title, 50),
    folder,
  ])
  return say(table(['ID', 'STATUS', 'USED', 'TITLE', 'FOLDER'], rows))
}

/** Shows a session, with its messages numbered as for `restore --to` and `fork --to`. */
export async function showSession(engine: Engine, sessionId: string, isJson: boolean): Promise<number> {
  const header = engine.sessions.header(sessionId)
  const messages = await engine.checkpoints.points(sessionId)
  if (isJson) return say(`${JSON.stringify({ ...header, messages })}\n`)
  const lines = messages.map(
    ({ n, at, text }) =>
      `${String(n).padStart(4)}  ${new Date(at).toISOString().slice(0, 16)}  ${shortLine(text, 100)}`,
  )
  return say(
    `${shortLine(header.title, 200)}\n${shortLine(header.folder, 4096)}\n\n${lines.join('\n')}${lines.length > 0 ? '\n' : ''}`,
  )
}

/** The current conversation: as Markdown, or one event per line. */
export function exportSession(engine: Engine, sessionId: string, isJson: boolean): number {
  const header = engine.sessions.header(sessionId)
  const events = conversation(engine, sessionId)
  if (isJson) {
    for (const event of events) say(`${JSON.stringify(event)}\n`)
    return 0
  }
  say(`# ${shortLine(header.title, 200)}\n`)
  for (const event of events) say(markdown(event))
  return 0
}

function conversation(engine: Engine, sessionId: string): RecordedEvent[] {
  const windows: RecordedEvent[][] = []
  let before = Number.MAX_SAFE_INTEGER
  for (;;) {
    const { events, hasMore } = engine.sessions.window(sessionId, { before, limit: WINDOW })
    windows.push(events)
    if (!hasMore || !events[0]) return windows.toReversed().flat()
    before = events[0].seq
  }
}

function markdown(event: RecordedEvent): string {
  switch (event.type) {
    case 'turn.started':
    case 'turn.steered':
      return `\n## ${event.news || (event.type === 'turn.steered' && event.by !== 'user') ? 'Trestle' : 'You'}\n\n${textOf(event.parts)}\n`
    case 'step.finished': {
      const text = event.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
      return text.trim() === '' ? '' : `\n## ${event.partial ? 'Agent (broken off)' : 'Agent'}\n\n${text}\n`
    }
    case 'tool.started':
      return `\n- ${event.name} ${shortLine(event.summary, 200)}\n`
    default:
      ignoreOthers<'export'>(event)
      return ''
  }
}

function say(text: string): number {
  process.stdout.write(text)
  return 0
}
