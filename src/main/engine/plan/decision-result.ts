import type { PersonAnswer } from '../../../shared/model/approval'
import type { PlanAlternative, PlanDecision } from '../../../shared/model/plan'
import type { ToolResult } from '../tool/tool'
import type { SessionPlan } from './session-plan'

/** Records what the user decided on the latest revision, and tells the agent what follows from it. */
export async function decisionResult(
  plan: SessionPlan,
  answer: PersonAnswer,
  alternatives: readonly PlanAlternative[],
): Promise<ToolResult> {
  const latest = plan.latest()
  if (!latest) throw new Error('A plan was decided on that was never submitted.')
  const text = await plan.revisionText(latest)
  const choice = alternatives[Number(/^approve-(\d)$/.exec(answer.optionId)?.[1]) - 1]?.label
  const decision = answer.optionId.startsWith('approve') ? 'approve' : (answer.optionId as Exclude<PlanDecision, 'approve'>)
  plan.resolve(latest.revision, decision, choice)
  const { revision } = latest
  return {
    content: [{ type: 'text', text: wordsFor(decision, { plan, text, revision, answer, ...(choice !== undefined && { choice }) }) }],
    details: { kind: 'decision', revision, text, decision, ...(choice !== undefined && { choice }) },
    ...((decision === 'reject' || decision === 'reject_exit') && { isError: true, endsTurn: true }),
  }
}

interface Decided {
  plan: SessionPlan
  text: string
  revision: number
  answer: PersonAnswer
  choice?: string
}

function wordsFor(decision: PlanDecision, { plan, text, revision, answer, choice }: Decided): string {
  const { feedback = '', comments = [] } = answer
  const said = feedback === '' ? '' : `\n\nThe user says: ${feedback}`
  switch (decision) {
    case 'approve': {
      const which =
        choice === undefined
          ? 'Carry it out.'
          : `The user chose "${choice}": carry out only this one, none of the other ways the plan describes.`
      return `The user approved the plan (revision ${revision}). Plan mode is off; all tools are available again, under the usual permissions. ${which}${said}\n\nThe approved plan:\n\n${text}`
    }
    case 'revise': {
      const lines = text.split(/\r?\n/)
      const notes = comments.map(
        ({ line, text: note }) => `- line ${line} (${JSON.stringify((lines[line - 1] ?? '').slice(0, 200))}): ${note}`,
      )
      const onLines = notes.length === 0 ? '' : `\n\nComments on lines of revision ${revision}:\n${notes.join('\n')}`
      const mode = plan.active ? 'Plan mode stays on.' : 'The user has turned plan mode off meanwhile.'
      return `The user wants changes to the plan. ${mode}${said}${onLines}\n\nChange ${plan.file()}, then call ExitPlanMode again.`
    }
    case 'reject':
      return `The user rejected the plan. Plan mode stays on and the turn ends.${said}`
    default:
      return `The user rejected the plan and ended plan mode. The turn ends.${said}`
  }
}
