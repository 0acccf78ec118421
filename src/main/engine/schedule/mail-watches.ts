import { sentence } from '../../../shared/error-text'
import { CodedError } from '../../../shared/errors'
import type { MailFilter, MailPosition } from '../../../shared/model/assistant/mail'
import type { Schedule } from '../../../shared/model/assistant/schedule'
import type { ScheduleRows } from '../store/rows/schedule-rows'
import type { ScheduleClock } from './schedule-clock'

/** How long a watch may fail before the user is notified: most failures are short, such as after the machine wakes. */
const PATIENCE_MS = 2 * 60_000

/** The part of the user's mail that schedules need. */
export interface MailSource {
  /** The ids of the accounts; undefined while mail is off. */
  accounts(): readonly string[] | undefined
  /** Watches a folder until the returned function is called; see `MailWatch`. */
  watch(watch: {
    account: string
    filter: MailFilter
    since?: MailPosition
    onMail(mail: { id: string }, position: MailPosition): void
    onPosition(position: MailPosition): void
    onProblem(problem: Error | undefined): void
  }): () => void
}

interface MailWatchesDeps {
  rows: Pick<ScheduleRows, 'waitingForMail' | 'mailState' | 'addMail'>
  source: MailSource
  clock: ScheduleClock
  /** A schedule has become due. */
  arrived(): void
  /** Notifies the user that mail of an account cannot be watched. */
  notify(message: { title: string; body: string }): void
}

/** The watches for new mail that starts schedules. */
export interface MailWatches {
  /** Starts and stops watches to match the current schedules and accounts. */
  follow(): void
  stop(): void
}

interface Watch {
  /** The account and the folder. */
  place: string
  stop(): void
}

type MailTime = Extract<Schedule['time'], { kind: 'mail' }>

export function createMailWatches({ rows, source, clock, arrived, notify }: MailWatchesDeps): MailWatches {
  const watches = new Map<string, Watch>()
  /** Folders whose watch fails; the function dismisses the notification. */
  const problems = new Map<string, () => void>()

  function begin(schedule: Schedule, time: MailTime, account: string): Watch {
    const { id } = schedule
    const { filter } = time
    const place = JSON.stringify([account, filter.folder])
    const since = rows.mailState(id).positions[account]
    const stop = source.watch({
      account,
      filter,
      ...(since && { since }),
      // Only the id: the agent gets the sender's text, marked as mail, only when it reads the message.
      onMail(mail, position) {
        if (rows.addMail(schedule, { account, position, id: mail.id, at: clock.now() })) arrived()
      },
      onPosition: (position) => void rows.addMail(schedule, { account, position, at: clock.now() }),
      onProblem: (problem) => (problem ? broken(place, account, problem) : works(place)),
    })
    return { place, stop }
  }

  function broken(place: string, account: string, problem: Error): void {
    if (problems.has(place)) return
    const { code, message, advice } =
      problem instanceof CodedError ? problem.failure : { code: undefined, message: problem.message, advice: '' }
    const report = (): void =>
      notify({
        title: `New mail of ${account} cannot start schedules`,
        body: [sentence(message), advice, 'Trestle keeps trying; mail that arrives in the meantime is not lost.']
          .filter((part) => part !== '')
          .join(' '),
      })
    // The user is notified immediately of problems that only they can fix.
    if (code === 'mail.account' || code === 'mail.sign_in' || code === 'mail.certificate') {
      problems.set(place, () => undefined)
      report()
    } else problems.set(place, clock.after(PATIENCE_MS, report))
  }

  function works(place: string): void {
    problems.get(place)?.()
    problems.delete(place)
  }

  function end(ended: readonly string[]): void {
    for (const key of ended) {
      watches.get(key)?.stop()
      watches.delete(key)
    }
    const places = new Set([...watches.values()].map(({ place }) => place))
    for (const place of problems.keys()) if (!places.has(place)) works(place)
  }

  return {
    follow() {
      const accounts = source.accounts()
      const wanted = new Map<string, () => Watch>()
      for (const schedule of accounts ? rows.waitingForMail() : []) {
        const { id, time } = schedule
        if (time.kind !== 'mail') continue
        for (const account of time.account === undefined ? (accounts ?? []) : [time.account])
          wanted.set(JSON.stringify([id, account, time]), () => begin(schedule, time, account))
      }
      end([...watches.keys()].filter((key) => !wanted.has(key)))
      for (const [key, start] of wanted) if (!watches.has(key)) watches.set(key, start())
    },
    stop: () => end([...watches.keys()]),
  }
}
