import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RestorePoint, RestorePreview, RestoreResult } from '../../../shared/model/session/checkpoint'
import { CodedError } from '../../../shared/errors'
import type { Engine } from '../../engine/engine-api'
import { oneLine } from '../../console/output'
import type { RestoreRequest } from '../../engine/checkpoint/restore-session'

export interface RestoreOptions {
  /** Restores to just before this message; without it, undoes the latest restore. */
  n?: number
  what?: { files: boolean; conversation: boolean }
  dryRun: boolean
  overwrite: boolean
  isJson: boolean
}

/** Returns 1 when something was left unchanged. */
export async function restoreFromTerminal(engine: Engine, sessionId: string, asked: RestoreOptions): Promise<number> {
  const { dryRun, isJson } = asked
  const request = { ...(await target(engine, sessionId, asked)), ...(asked.overwrite && { overwrite: 'all' as const }) }
  const { checkpoints } = engine
  const result: RestoreResult = dryRun
    ? await checkpoints.preview(sessionId, request)
    : await checkpoints.restore(sessionId, request)
  if (isJson) say(`${JSON.stringify({ dryRun, ...request, ...result })}\n`)
  else say(restoreText(result, dryRun))
  return result.kept.length > 0 ? 1 : 0
}

async function target(engine: Engine, sessionId: string, { n, what }: RestoreOptions): Promise<RestoreRequest> {
  if (n !== undefined)
    return { to: (await pointOf(engine, sessionId, n)).seq - 1, ...(what ?? { files: true, conversation: true }) }
  const latest = await engine.checkpoints.latestRestore(sessionId)
  if (!latest)
    throw new CodedError(
      'request.invalid',
      '--redo: nothing was restored in this session, so there is nothing to undo.',
    )
  return {
    to: latest.seq - 1,
    ...(what ?? { files: latest.count > 0, conversation: latest.conversation !== undefined }),
  }
}

/** Creates a session with the conversation before message `n`, or all of it. */
export async function forkSession(
  engine: Engine,
  sessionId: string,
  { n, isJson }: { n?: number; isJson: boolean },
): Promise<number> {
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
  throw new CodedError(
    'request.invalid',
    `--to ${n}: the session has ${points.length === 1 ? '1 message' : `${points.length} messages`}; ` +
      `trestle session show ${sessionId} numbers them.`,
  )
}

const ACTION_SYMBOLS = { create: '+', change: '~', delete: '-' }

function restoreText(
  { steps, kept, notCovered, messagesTaken, seq }: RestorePreview & { seq?: number },
  dryRun: boolean,
): string {
  const lines = steps.map(
    ({ action, path, isFolder }) => `${ACTION_SYMBOLS[action]} ${oneLine(path)}${isFolder ? '/' : ''}`,
  )
  for (const { path, why, kind } of kept)
    lines.push(
      `! ${oneLine(path)}: ${oneLine(why)}${kind === 'changed' ? ' Left as it is; --overwrite restores it too.' : ''}`,
    )
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

/**
 * `trestle session recover`: recovers sessions from a damaged store or a backup. Returns 1 when a session was left
 * unchanged.
 */
export function recoverFromTerminal(engine: Engine, file: string | undefined, isJson: boolean): number {
  if (file !== undefined && statSync(resolve(file), { throwIfNoEntry: false })?.isDirectory())
    throw new CodedError(
      'request.invalid',
      `${resolve(file)} is a folder. Name a file: a damaged trestle.db, or a backup.`,
    )
  const report = engine.backups.recover(file === undefined ? undefined : resolve(file))
  const { files, found, merged } = report
  if (isJson) process.stdout.write(`${JSON.stringify(report)}\n`)
  else
    process.stdout.write(
      `${[...files.map((name) => `Read ${oneLine(name)}`), ...foundWords(found), ...mergedWords(merged)].join('\n')}\n`,
    )
  if (file !== undefined && found.sessions + found.events + found.lostSessions + found.lostEvents === 0) {
    process.stderr.write(
      `trestle: Nothing in ${oneLine(file)} could be read as a session. Is it a trestle.db, or a backup of one?\n`,
    )
    return 1
  }
  return merged.kept.length > 0 ? 1 : 0
}

type Report = ReturnType<Engine['backups']['recover']>

function foundWords({ sessions, events, lostSessions, lostEvents }: Report['found']): string[] {
  const found = `Found ${amount(sessions, 'session')} with ${amount(events, 'event')}.`
  if (lostSessions + lostEvents === 0) return [found]
  return [
    `${found} Not readable: ` +
      `${lostSessions > 0 ? `${amount(lostSessions, 'session')} and ` : ''}${amount(lostEvents, 'event')}.`,
  ]
}

function mergedWords({ added, completed, events, unchanged, kept }: Report['merged']): string[] {
  const lines = [
    ...added.map((id) => `+ ${id}`),
    ...completed.map((id) => `~ ${id}`),
    ...kept.map(({ sessionId, why }) => `! ${sessionId}: ${WHY[why]}`),
  ]
  const parts = [
    `${amount(added.length, 'session')} added`,
    ...(completed.length > 0 ? [`${amount(completed.length, 'session')} completed`] : []),
    `${unchanged.toLocaleString('en-US')} had everything already`,
    ...(kept.length > 0
      ? [`${amount(kept.length, 'session')} left as ${kept.length === 1 ? 'it is' : 'they are'}`]
      : []),
  ]
  return [...lines, `${amount(events, 'event')} recovered: ${parts.join(', ')}.`]
}

const WHY = {
  changed: 'it has changed since; left as it is',
  'in use': 'another Trestle has it open; close that one and try again',
}

function amount(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}
