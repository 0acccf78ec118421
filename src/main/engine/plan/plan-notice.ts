import type { PlanState } from '../../../shared/model/plan'
import howToPlan from './how-to-plan.md?raw'

/** How to work in plan mode. */
export function planInstructions(file: string): string {
  return howToPlan.trim().replaceAll('{file}', file)
}

/** What the agent has to be told of the mode before its next step, since the user has changed it, or it may be forgotten; undefined when it knows. */
export function planNotice(state: PlanState | undefined, file: () => string): { plan: 'on' | 'off'; text: string } | undefined {
  if (!state || state.active === state.told) return undefined
  return state.active
    ? { plan: 'on', text: planInstructions(file()) }
    : {
        plan: 'off',
        text: 'The user turned plan mode off without approving a plan. All tools are available again, under the usual permissions.',
      }
}
