/** The user's decision on a submitted plan. */
export type PlanDecision = 'approve' | 'revise' | 'reject' | 'reject_exit'

/** One submission of a plan: stored unchanged, whatever happens to the plan's file. */
export interface PlanRevision {
  /** Which plan of the session, from 1. */
  plan: number
  /** Which submission of that plan, from 1. */
  revision: number
  /** SHA-256 of its text. */
  hash: string
  /** ms since the epoch. */
  at: number
  decision?: PlanDecision
  /** The alternative that was approved, by its label. */
  choice?: string
}

/** The plan mode state of a session: a fold of its events. Absent: it has never been in plan mode. */
export interface PlanState {
  /** Whether plan mode is on: then only the plan's file can change. */
  active: boolean
  /** The plan being worked on, from 1; a new one starts after an approval. */
  plan: number
  /** Whether the agent was last informed that the mode is on. */
  told: boolean
  /** Oldest first. */
  revisions: PlanRevision[]
}

/** A plan for the interface. */
export interface PlanView {
  active: boolean
  /** Absolute path of the plan's file. */
  file: string
  /** The current content of the file; absent if it does not exist. */
  text?: string
  revisions: PlanRevision[]
}

/** An option in a plan that the user chooses. */
export interface PlanAlternative {
  label: string
  description: string
}

/** A comment on a line of a plan. */
export interface PlanComment {
  /** From 1. */
  line: number
  text: string
}

/**
 * Whether an absolute path is a plan in Trestle's own folder: not part of the work, and shown to the user as the plan.
 */
export function isPlanFile(path: string, home?: string): boolean {
  const isHere = home === undefined ? /^(?:[\\/]|[A-Za-z]:)/.test(path) : path.startsWith(home)
  return isHere && /[\\/]sessions[\\/][^\\/]+[\\/]plans[\\/]plan-\d+\.md$/.test(path)
}

export const TODO_STATUSES = ['pending', 'in_progress', 'done'] as const
export type TodoStatus = (typeof TODO_STATUSES)[number]

/** One item of the session's to-do list. */
export interface Todo {
  title: string
  status: TodoStatus
}
