import { requestName, type InboxEntry } from '../../shared/model/approval'
import type { Task } from '../../shared/model/task'
import { useInbox } from './inbox-state'
import { titleOf } from './ordered-sessions'
import { useTasks } from './tasks-state'

/** Something that waits for a person: a request, or a program that asks at its terminal. */
export interface Call {
  id: string
  /** Who waits: a session's title. */
  who: string
  /** What for, in one line. */
  what: string
  sessionId?: string
}

/** Everything that waits here; what another process holds is that one's to call for. */
export function callsOf(entries: readonly InboxEntry[], waiting: readonly Task[]): Call[] {
  const requests = entries
    .filter(({ elsewhere }) => elsewhere === undefined)
    .map((entry): Call => {
      const { sessionId, approvalId, sessionTitle, summary } = entry
      return {
        id: `${sessionId}/${approvalId}`,
        who: titleOf({ title: sessionTitle }),
        what: `${requestName(entry)} ${summary}`,
        sessionId,
      }
    })
  const asking = waiting.map(({ taskId, prompt, command, sessionId }): Call => {
    return {
      id: `${taskId} ${prompt?.since}`,
      who: 'A command',
      what: `${prompt?.text} (${command})`,
      ...(sessionId !== undefined && { sessionId }),
    }
  })
  return [...requests, ...asking]
}

/** The same as this page knows it now; undefined until the inbox has come for the first time. */
export function callsNow(): Call[] | undefined {
  const { entries, loaded } = useInbox.getState()
  return loaded ? callsOf(entries, useTasks.getState().waiting) : undefined
}

/** Named where it is one; with the number of all that wait where there are more. */
export function callWords(waiting: readonly Call[], fresh: readonly Call[]): { title: string; body: string } {
  const [first] = fresh
  if (waiting.length === 1 && first) return { title: `${first.who} needs you`, body: first.what }
  const names = [...new Set(waiting.map(({ who }) => who))]
  const more = names.length > 3 ? ` and ${names.length - 3} more` : ''
  return { title: `${waiting.length} pending requests`, body: `${names.slice(0, 3).join(', ')}${more}` }
}

/** The session that a click leads to; undefined when there are several: then the inbox. */
export function callTarget(fresh: readonly Call[]): string | undefined {
  const [sessionId, ...others] = new Set(fresh.map((call) => call.sessionId))
  return others.length > 0 ? undefined : sessionId
}
