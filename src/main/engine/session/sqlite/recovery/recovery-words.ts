import type { Recovered } from './rebuild-store'

/** What was recovered, in sentences for the user. `backupAt`: when the backup that helped was made. */
export function recoveryWords({ sessions, events, lostSessions, lostEvents }: Recovered, backupAt?: number): string {
  const source = backupAt === undefined ? 'there was no usable backup' : `with the backup of ${dayAndTime(backupAt)}`
  if (events === 0) {
    const lost = lostSessions > 0 ? `${amount(lostSessions, 'session')} could not be read` : 'no session could be read'
    return `Trestle begins with an empty store, since ${lost} and ${backupAt === undefined ? source : 'the newest backup is empty'}.`
  }
  const recovered = `${amount(sessions, 'session')} with ${amount(events, 'event')} ${sessions === 1 ? 'was' : 'were'} recovered (${source}).`
  if (lostSessions + lostEvents === 0) return `${recovered} No loss was found.`
  const lost = lostSessions > 0 ? `${amount(lostSessions, 'session')} and ${amount(lostEvents, 'event')}` : amount(lostEvents, 'event')
  return `${recovered} Lost: ${lost}.`
}

/** E.g. `1,203 events`. */
export function amount(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}

function dayAndTime(at: number): string {
  return new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
}
