import { CodedError } from '../../../../shared/model/errors'
import type { SessionSummary } from '../../../../shared/model/session'
import type { Conversation } from '../conversation'
import { fit, oneLine } from '../screen/safe-text'

const MOST_LISTED = 20

export async function newSession(conversation: Conversation): Promise<void> {
  const { engine, header, printer } = conversation
  const { sessionId } = await engine.sessions.create({
    folder: header.folder,
    mode: header.mode,
    addedFolders: header.addedFolders,
    ...(header.model !== undefined && { model: header.model }),
  })
  conversation.use(sessionId)
  printer.note('A new session. The old one is kept: /sessions lists them.')
}

export async function listSessions(conversation: Conversation): Promise<void> {
  const { printer, terminal } = conversation
  const list = sessionsOf(conversation)
  for (const [index, { sessionId, title, status, elsewhere }] of list.entries()) {
    const mark = sessionId === conversation.sessionId ? ' (this one)' : elsewhere === undefined ? '' : ' (open elsewhere)'
    const left = `${String(index + 1).padStart(3)}  `
    printer.line(fit(`${left}${oneLine(title)} · ${status}${mark}`, terminal.columns - 1))
  }
  printer.note('/resume N goes on with one of them.')
}

export async function openSession(conversation: Conversation, argument: string): Promise<void> {
  const { engine } = conversation
  const list = sessionsOf(conversation)
  const wanted =
    argument === ''
      ? list.find(({ sessionId }) => sessionId !== conversation.sessionId)?.sessionId
      : /^\d{1,3}$/.test(argument)
        ? list[Number(argument) - 1]?.sessionId
        : argument
  if (wanted === undefined)
    throw new CodedError(
      'session.not_found',
      argument === '' ? 'There is no other session in this folder.' : `There is no session ${argument} in the list of /sessions.`,
    )
  await engine.sessions.open(wanted, 1)
  conversation.use(wanted)
  await conversation.recall()
}

function sessionsOf({ engine, header }: Conversation): SessionSummary[] {
  return engine.sessions.list({ folder: header.folder, limit: MOST_LISTED })
}
