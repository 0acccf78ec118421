import { fixedKeys } from '../../../../shared/model/approval'
import { askText, chooseOne, show, showHeading, type Answer, type Asked } from './asking'
import { previewLines } from './preview-lines'
import { oneLine } from '../screen/safe-text'

/** The agent's plan: to be approved (one of its alternatives, where it has some), sent back with changes, or rejected. */
export async function reviewPlan(asked: Asked): Promise<Answer> {
  const { approval, terminal } = asked
  const { style } = terminal
  const { preview } = approval
  const plan = preview?.kind === 'plan' ? preview : undefined
  showHeading(asked, plan && plan.revision > 1 ? `Plan, revision ${plan.revision}` : 'Plan', approval.reason)
  show(asked, [...(preview ? previewLines(preview, style).map((line) => `  ${line}`) : []), ''])
  const keys = fixedKeys(approval.options)
  const ways = new Map((plan?.alternatives ?? []).map(({ label, description }) => [`Approve: ${label}`, description]))
  for (;;) {
    const option = await chooseOne(
      asked,
      approval.options.map((value) => {
        const description = ways.get(value.name) ?? ''
        const label = `${oneLine(value.name)}${description === '' ? '' : `  ${style.dim(oneLine(description))}`}`
        return { label, value, key: keys.get(value.optionId) }
      }),
      'The plan?',
    )
    if (!option) return undefined
    const { optionId } = option
    if (option.kind !== 'reject_once') return { optionId }
    const isRevision = optionId === 'revise'
    const feedback = await askText(
      asked,
      isRevision ? 'What should change? Ctrl-C goes back.' : 'Why? The agent reads it. Enter alone gives no reason, Ctrl-C goes back.',
    )
    if (asked.signal.aborted) return undefined
    if (feedback !== undefined && (feedback !== '' || !isRevision)) return { optionId, ...(feedback !== '' && { feedback }) }
  }
}
