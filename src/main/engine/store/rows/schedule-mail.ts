import type { MailPosition } from '../../../../shared/model/assistant/mail'

/** Maximum number of messages for one run; the rest wait for the next one. */
const RUN_MESSAGES = 50
/** Maximum number of messages that wait for a run; beyond it, only the newest are kept. */
const MAX_PENDING = 1000

/** The mail that a schedule has seen. Messages are given as their ids. */
export interface MailState {
  /** How far each account has been checked. */
  positions: Readonly<Record<string, MailPosition>>
  /** Messages for the next run, oldest first. */
  pending: readonly string[]
  /** Messages passed to the open run. */
  taken?: readonly string[]
}

/** How far an account had been checked at a time in ms; `id`: the matching message that was found. */
export interface FoundMail {
  account: string
  position: MailPosition
  id?: string
  at: number
}

/** The state with what was found; undefined if it was already known, for example from another process. */
export function addMail(state: MailState, { account, position, id }: FoundMail): MailState | undefined {
  const before = state.positions[account]
  if (before?.validity === position.validity && before.uid >= position.uid) return undefined
  const pending = id === undefined ? state.pending : [...state.pending, id].slice(-MAX_PENDING)
  return { ...state, positions: { ...state.positions, [account]: position }, pending }
}

/** The state after a run has started with the oldest messages. */
export function takeMail({ positions, pending }: MailState): MailState {
  return { positions, pending: pending.slice(RUN_MESSAGES), taken: pending.slice(0, RUN_MESSAGES) }
}

/** The state after a run that could not use its messages. */
export function giveBackMail({ positions, pending, taken = [] }: MailState): MailState {
  return { positions, pending: [...taken, ...pending] }
}

/** The state of a schedule that resumes after a pause: mail received during the pause is ignored. */
export function startMailAnew(state: MailState): MailState {
  return { ...state, positions: {} }
}
