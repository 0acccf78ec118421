import type { RestorePoint, RestorePreview, RestoreResult } from '../../../shared/model/checkpoint'
import { CodedError } from '../../../shared/model/errors'
import type { Engine, RestoreRequest } from '../../engine/engine-api'
import { oneLine } from '../../command-line/safe-text'

export interface TerminalRestore {
  /** Right before this message; without it the latest restore is taken back. */
  n?: number
  what?: { files: boolean; conversation: boolean }
  dryRun: boolean
  overwrite: boolean
  isJson: boolean
}

/** 1 when something was left as it is. */
export async function restoreFromTerminal(engine: Engine, sessionId: string, asked: TerminalRestore): Promise<number> {
  const { dryRun, isJson } = asked
  const request = { ...(await target(engine, sessionId, asked)), ...(asked.overwrite && { overwrite: 'all' as const }) }
  const { checkpoints } = engine
  const result: RestoreResult = dryRun ? await checkpoints.preview(sessionId, request) : await checkpoints.restore(sessionId, request)
  if (isJson) say(`${JSON.stringify({ dryRun, ...request, ...result })}\n`)
  else say(words(result, dryRun))
  return result.kept.length > 0 ? 1 : 0
}

async function target(engine: Engine, sessionId: string, { n, what }: TerminalRestore): Promise<RestoreRequest> {
  if (n !== undefined) return { to: (await pointOf(engine, sessionId, n)).seq - 1, ...(what ?? { files: true, conversation: true }) }
  const latest = await engine.checkpoints.latestRestore(sessionId)
  if (!latest) throw new CodedError('request.invalid', 'redo: nothing was restored in this session.')
  return { to: latest.seq - 1, ...(what ?? { files: latest.count > 0, conversation: latest.conversation !== undefined }) }
}

/** A new session with the conversation before message `n`, or all of it. */
export async function forkSession(engine: Engine, sessionId: string, { n, isJson }: { n?: number; isJson: boolean }): Promise<number> {
  const to = n === undefined ? undefined : (await pointOf(engine, sessionId, n)).seq - 1
  const fork = await engine.sessions.fork(sessionId, to)
  say(isJson ? `${JSON.stringify(fork)}\n` : `${fork.sessionId}  ${oneLine(fork.title)}\n`)
  return 0
}

async function pointOf(engine: Engine, sessionId: string, n: number): Promise<RestorePoint> {
  engine.sessions.header(sessionId)
  const points = await engine.checkpoints.points(sessionId)
  const point = points[n - 1]
  if (point) return point
  throw new CodedError('request.invalid', `to: there are ${points.length} messages; trestle session show ${sessionId} numbers them.`)
}

const SIGNS = { create: '+', change: '~', delete: '-' }

function words({ steps, kept, notCovered, messagesTaken, seq }: RestorePreview & { seq?: number }, dryRun: boolean): string {
  const lines = steps.map(({ action, path, isFolder }) => `${SIGNS[action]} ${oneLine(path)}${isFolder ? '/' : ''}`)
  for (const { path, why, kind } of kept)
    lines.push(`! ${oneLine(path)}: ${oneLine(why)}${kind === 'changed' ? ' Left as it is; --overwrite restores it too.' : ''}`)
  lines.push(...notCovered.map((text) => `? ${text}`))
  const files = `${steps.length} ${steps.length === 1 ? 'path' : 'paths'}`
  const messages = messagesTaken === undefined ? '' : `, ${messagesTaken} of your messages left out of the conversation`
  if (dryRun) lines.push(`Would restore ${files}${messages}. Nothing was changed.`)
  else if (seq === undefined) lines.push('Nothing was to be restored.')
  else lines.push(`Restored ${files}${messages}. To take it back: trestle session restore ID --redo`)
  return `${lines.join('\n')}\n`
}

function say(text: string): void {
  process.stdout.write(text)
}
