import { choose, type Answered, type Ask } from './ask'
import { canFillForms, fillForm } from './ask-form'

const ASK_BACK =
  'The user wants changes, but could not say here which. Ask them in the text of your answer what should change, and end your turn.'

/** Puts a plan to the person: approve it (or one of its ways), have it revised, or reject it. What should change is asked in a form where the client has one. */
export async function askPlan(ask: Ask): Promise<Answered> {
  const { options } = ask.approval
  const optionId = await choose(ask, options)
  if (optionId !== 'revise') return optionId === 'cancelled' ? optionId : { optionId }
  if (!canFillForms(ask)) return { optionId, feedback: ASK_BACK }
  const end = await fillForm(ask, 'What should change in the plan?', {
    type: 'object',
    properties: { changes: { type: 'string', title: 'Changes' } },
    required: ['changes'],
  })
  const words = end === 'declined' ? '' : String(end.values['changes'] ?? '').trim()
  return { optionId, feedback: words === '' ? ASK_BACK : words }
}
