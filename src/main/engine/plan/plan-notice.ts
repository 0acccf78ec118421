import type { PlanState } from '../../../shared/model/plan'
import howToPlan from './how-to-plan.md?raw'

/** How to work in plan mode; `canAsk`: whether a user can approve the plan. */
export function planInstructions(file: string, canAsk = true): string {
  const steps = howToPlan.trim().replaceAll('{file}', file)
  return canAsk ? steps : `${steps.slice(0, steps.indexOf('\n\n'))}\n\n${WITHOUT_APPROVAL.replace('{file}', file)}`
}

const WITHOUT_APPROVAL =
  'No user can approve a plan in this session, so plan mode stays on. Look into the task, write the plan to {file} in Markdown, and give the whole of it as your answer: what should change and where, in which order, and how it will be checked.'

/**
 * The message about plan mode before the agent's next step, after the user switched it or it may be forgotten;
 * undefined when the agent knows.
 */
export function planNotice(
  state: PlanState | undefined,
  file: () => string,
  canAsk = true,
): { plan: 'on' | 'off'; text: string } | undefined {
  if (!state || state.active === state.told) return undefined
  return state.active
    ? { plan: 'on', text: planInstructions(file(), canAsk) }
    : {
        plan: 'off',
        text: 'The user turned plan mode off without approving a plan. All tools are available again, under the usual permissions.',
      }
}
