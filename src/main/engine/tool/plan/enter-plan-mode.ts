import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { type SessionPlan, planInstructions } from '../../plan/session-plan'
import { ok, type Tool } from '../tool'
import description from './enter-plan-mode.md?raw'

const input = lazySchema(() => z.strictObject({}))

/** Turns plan mode on. */
export function enterPlanModeTool({ plan }: { plan: SessionPlan }): Tool<typeof input> {
  return {
    name: 'EnterPlanMode',
    description,
    input,
    // It only takes permissions away.
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    async prepare() {
      return {
        summary: '',
        // Other calls of the same step run before or after it, not in parallel.
        accesses: [{ kind: 'all' }],
        async run() {
          const before = plan.active
          plan.enter('agent')
          const there = await plan.text()
          const notes = [
            before && 'Plan mode was on already.',
            planInstructions(plan.file()),
            there !== undefined && 'The file holds an earlier plan: read it, then continue or replace it.',
          ]
          return ok(notes.filter((note) => typeof note === 'string').join('\n\n'))
        },
      }
    },
  }
}
