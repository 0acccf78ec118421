import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CodedError, failureOf } from '../../../shared/errors'
import type { ExportFormat } from '../../../shared/model/session/conversation'
import type { Engine } from '../../engine/engine-api'
import { shortLine, table } from '../../console/output'

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
    `${shortLine(header.title, 200)}\n${shortLine(header.folder, 4096)}\n\n` +
      `${lines.join('\n')}${lines.length > 0 ? '\n' : ''}`,
  )
}

/** The current conversation as a file in the format; with `isJson` one event per line, as recorded. */
export async function exportSession(
  engine: Engine,
  sessionId: string,
  { format = 'markdown', isJson }: { format?: ExportFormat; isJson: boolean },
): Promise<number> {
  engine.sessions.header(sessionId)
  if (!isJson) return say((await engine.conversations.export(sessionId, format)).text)
  for await (const line of engine.conversations.lines(sessionId)) say(`${JSON.stringify(line)}\n`)
  return 0
}

/** Imports an exported session from a file. */
export async function importSession(
  engine: Engine,
  file: string,
  { folder, isJson, unverified }: { folder?: string; isJson: boolean; unverified: boolean },
): Promise<number> {
  const text = await readFile(resolve(file), 'utf8').catch((error: unknown) => {
    throw new CodedError('request.invalid', `The file ${file} cannot be read: ${failureOf(error).message}`)
  })
  const header = await engine.conversations.import(text, folder === undefined ? undefined : resolve(folder), {
    unverified,
  })
  return say(isJson ? `${JSON.stringify(header)}\n` : `${header.sessionId}  ${shortLine(header.title, 200)}\n`)
}

function say(text: string): number {
  process.stdout.write(text)
  return 0
}
