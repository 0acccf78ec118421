import type { RecordedEvent } from './event'
import type { PlanState } from './plan'

/** So many revisions are listed; what they said is in their files. */
const MOST_REVISIONS = 100
const NEVER_PLANNED: PlanState = { active: false, plan: 1, told: false, revisions: [] }

/** Folds one event of planning into what the header says of it. Pure. */
export function foldPlan(before: PlanState = NEVER_PLANNED, event: Extract<RecordedEvent, { type: `plan.${string}` }>): PlanState {
  switch (event.type) {
    case 'plan.entered':
      return { ...before, active: true, plan: event.plan, ...(event.by === 'agent' && { told: true }) }
    case 'plan.submitted': {
      const { plan, revision, hash, at } = event
      return { ...before, revisions: [...before.revisions, { plan, revision, hash, at }].slice(-MOST_REVISIONS) }
    }
    case 'plan.resolved': {
      const { plan, revision, decision, choice } = event
      const ends = decision === 'approve' || decision === 'reject_exit'
      return {
        ...before,
        ...(ends && { active: false, told: false }),
        revisions: before.revisions.map((known) =>
          known.plan === plan && known.revision === revision ? { ...known, decision, ...(choice !== undefined && { choice }) } : known,
        ),
      }
    }
    default:
      return { ...before, active: false }
  }
}
