import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import { TERMINAL_SIZE, type UserTerminal } from '../../model/task/terminal'

const terminalId = z.string().min(1).max(100)
const size = {
  cols: z.int().min(TERMINAL_SIZE.cols.min).max(TERMINAL_SIZE.cols.max),
  rows: z.int().min(TERMINAL_SIZE.rows.min).max(TERMINAL_SIZE.rows.max),
}

/**
 * The user's own terminals. They run in the task host, so they survive windows and restarts of the app. Failures:
 * `terminal.not_found`, `task.host_unavailable`.
 */
export const terminalContract = {
  /** Starts the user's shell in the folder of a session. */
  open: oc.input(z.strictObject({ sessionId: z.string(), ...size })).output(type<UserTerminal>()),
  /** In the order they were opened; `sessionId`: those of one session. */
  list: oc.input(z.strictObject({ sessionId: z.string().optional() })).output(type<UserTerminal[]>()),
  /** What the user types: passed to the program, never logged, never shown to the model. */
  input: oc.input(z.strictObject({ terminalId, data: z.string().min(1).max(100_000) })).output(type<void>()),
  /** The size of the view that shows it. */
  resize: oc.input(z.strictObject({ terminalId, ...size })).output(type<void>()),
  /** Starts the shell again after it has ended. */
  restart: oc.input(z.strictObject({ terminalId })).output(type<UserTerminal>()),
  /** Lets the agent of its session read the screen, or stops that. The agent can never type. */
  letWatch: oc.input(z.strictObject({ terminalId, isWatched: z.boolean() })).output(type<UserTerminal>()),
  /** Ends the shell and everything running in it, and removes the terminal. */
  close: oc.input(z.strictObject({ terminalId })).output(type<void>()),
}
