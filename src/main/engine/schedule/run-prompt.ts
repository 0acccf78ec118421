import type { Schedule, ScheduleRun } from '../../../shared/model/schedule'
import { momentText } from '../../../shared/model/schedule-text'

/** What the agent answers when a heartbeat has nothing to report. */
export const NOTHING_DUE = 'NOTHING_DUE'

/** The message that starts a run: the user's prompt, and what the agent has to know of the run. */
export function runPrompt(
  schedule: Schedule,
  { dueAt, missed }: Pick<ScheduleRun, 'dueAt' | 'missed'>,
  mail: readonly string[] = [],
): string {
  const earlier =
    missed === 0
      ? ''
      : ` It also stands for ${missed === 1 ? 'an earlier run that was' : `${missed} earlier runs that were`} missed.`
  const about = `(This is a run of the schedule ${JSON.stringify(schedule.name)}, due ${momentText(dueAt, schedule.zone)} ${schedule.zone}.${earlier}${schedule.time.kind === 'mail' ? mailNote(mail) : ''} The user may not be present: requests for approval wait in the inbox.`
  const report = schedule.heartbeat
    ? ` If there is nothing that the user needs to know or do, answer with ${NOTHING_DUE} alone. Otherwise answer with one short message for the user.`
    : ''
  const note = `${about}${report})`
  // What an agent wrote must not begin as a command of the user's, such as a skill that only the user may start.
  return schedule.createdIn === undefined ? `${schedule.prompt}\n\n${note}` : `${note}\n\n${schedule.prompt}`
}

/** The messages that a run is about: their ids only, never what senders wrote. */
function mailNote(ids: readonly string[]): string {
  if (ids.length === 0) return ' No new message waits for it; the user has started it.'
  const what = ids.length === 1 ? 'A new message has arrived' : `${ids.length} new messages have arrived`
  return ` ${what}; read with MailRead: ${ids.map((id) => JSON.stringify(id)).join(', ')}.`
}

/** Whether the answer of a heartbeat says that there is nothing to report. */
export function isNothingDue(answer: string): boolean {
  return answer.trim().replaceAll(/[*`"'.\s]/g, '') === NOTHING_DUE
}
