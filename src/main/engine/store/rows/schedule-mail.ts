import type { MailPosition } from '../../../../shared/model/assistant/mail'

/** Messages that one run is given; more wait for the next one. */
const RUN_MESSAGES = 50
/** Messages that wait for a run; of more, the newest are kept. */
const MAX_PENDING = 1000

/** What a schedule that waits for mail has seen of it. Messages are named by their ids. */
export interface MailState {
  /** How far each account was watched. */
  positions: Readonly<Record<string, MailPosition>>
  /** What waits for the next run, the oldest first. */
  pending: readonly string[]
  /** What the open run was given. */
  taken?: readonly string[]
}

/** How far an account was watched at a moment in ms; with `id`, by a message that fits. */
export interface FoundMail {
  account: string
  position: MailPosition
  id?: string
  at: number
}

/** The state with what was found; undefined when that was known before, as after another process has watched. */
export function addMail(state: MailState, { account, position, id }: FoundMail): MailState | undefined {
  const before = state.positions[account]
  if (before?.validity === position.validity && before.uid >= position.uid) return undefined
  const pending = id === undefined ? state.pending : [...state.pending, id].slice(-MAX_PENDING)
  return { ...state, positions: { ...state.positions, [account]: position }, pending }
}

/** The state once a run is started, with what it is given. */
export function takeMail({ positions, pending }: MailState): MailState {
  return { positions, pending: pending.slice(RUN_MESSAGES), taken: pending.slice(0, RUN_MESSAGES) }
}

/** The state after a run that could not use what it was given. */
export function giveBackMail({ positions, pending, taken = [] }: MailState): MailState {
  return { positions, pending: [...taken, ...pending] }
}

/** The state of a schedule that did not watch for a while: what came meanwhile does not count. */
export function startMailAnew(state: MailState): MailState {
  return { ...state, positions: {} }
}
