import type { Engine } from '../../engine/engine-api'
import type { HistoryCheck } from '../../../shared/model/history'
import { oneLine, shortLine } from '../../console/output'

/** The exit code when a history is not as it was recorded. */
const CHANGED = 3

/** Checks the history of one session; `expect`: a hash that must be in it. */
export async function verifyFromTerminal(
  engine: Engine,
  sessionId: string,
  { expect, isJson }: { expect?: string; isJson: boolean },
): Promise<number> {
  const check = await engine.histories.verify(sessionId, expect)
  say(isJson ? `${JSON.stringify(check)}\n` : checkText(check))
  return check.ok ? 0 : CHANGED
}

/** Checks the histories of all sessions. */
export async function verifyAllFromTerminal(engine: Engine, isJson: boolean): Promise<number> {
  const all = await engine.histories.verifyAll()
  if (isJson) say(`${JSON.stringify(all)}\n`)
  else {
    for (const check of all.failed) say(checkText(check))
    const bad = all.failed.length
    const counts = `${countOf(all.sessions, 'session')}, ${countOf(all.events, 'event')}`
    say(bad === 0 ? `Intact: ${counts}.\n` : `Checked ${counts}. Changed: ${countOf(bad, 'session')}.\n`)
  }
  return all.ok ? 0 : CHANGED
}

function checkText({ sessionId, title, ok, events, withoutHash, head, expectedAt, problem }: HistoryCheck): string {
  const name = `${oneLine(sessionId)}${title === '' ? '' : `  ${shortLine(oneLine(title), 60)}`}`
  if (!ok)
    return `${name}\n  Changed since it was recorded, first at event ${problem?.seq ?? '?'}: ${problem?.text ?? ''}\n`
  const lines = [name, `  Intact: ${countOf(events, 'event')}`, `  Hash of the last event: ${head}`]
  if (expectedAt !== undefined) lines.push(`  The hash you gave is that of event ${expectedAt}`)
  if (withoutHash === events && events > 0)
    lines.push('  It is older than the hashes: the hash of its next event will cover all of them')
  else if (withoutHash > 0)
    lines.push(
      `  Events 1 to ${withoutHash} are older than the hashes; the hash of event ${withoutHash + 1} covers them`,
    )
  return `${lines.join('\n')}\n`
}

function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}

function say(text: string): void {
  process.stdout.write(text)
}
