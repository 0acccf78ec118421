import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { CodedError } from '../../../shared/model/errors'
import type { Engine } from '../../engine/engine-api'
import { oneLine } from '../../command-line/safe-text'

/** `trestle session recover`: brings back what a damaged store or a backup has. 1 when a session was left as it is. */
export function recoverFromTerminal(engine: Engine, file: string | undefined, isJson: boolean): number {
  if (file !== undefined && statSync(resolve(file), { throwIfNoEntry: false })?.isDirectory())
    throw new CodedError('request.invalid', `${resolve(file)} is a folder. Name a file: a damaged trestle.db, or a backup.`)
  const report = engine.backups.recover(file === undefined ? undefined : resolve(file))
  const { files, found, merged } = report
  if (isJson) process.stdout.write(`${JSON.stringify(report)}\n`)
  else
    process.stdout.write(`${[...files.map((name) => `Read ${oneLine(name)}`), ...foundWords(found), ...mergedWords(merged)].join('\n')}\n`)
  if (file !== undefined && found.sessions + found.events + found.lostSessions + found.lostEvents === 0) {
    process.stderr.write(`trestle: Nothing in ${oneLine(file)} could be read as a session. Is it a trestle.db, or a backup of one?\n`)
    return 1
  }
  return merged.kept.length > 0 ? 1 : 0
}

type Report = ReturnType<Engine['backups']['recover']>

function foundWords({ sessions, events, lostSessions, lostEvents }: Report['found']): string[] {
  const found = `Found ${amount(sessions, 'session')} with ${amount(events, 'event')}.`
  if (lostSessions + lostEvents === 0) return [found]
  return [`${found} Not readable: ${lostSessions > 0 ? `${amount(lostSessions, 'session')} and ` : ''}${amount(lostEvents, 'event')}.`]
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
    ...(kept.length > 0 ? [`${amount(kept.length, 'session')} left as ${kept.length === 1 ? 'it is' : 'they are'}`] : []),
  ]
  return [...lines, `${amount(events, 'event')} recovered: ${parts.join(', ')}.`]
}

const WHY = {
  changed: 'it has gone on differently since; left as it is',
  'in use': 'another Trestle has it open; close that one and try again',
}

function amount(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}
