import '../../features/approvals/approvals.css'
import '../../features/approvals/person-cards.css'
import '../../features/approvals/server/server-cards.css'
import { ApprovalCard, type ApprovalCardProps } from '../../features/approvals/approval-card'
import { BudgetCard } from '../../features/approvals/budget-card'
import { PlanCard } from '../../features/approvals/plan-card'
import { SandboxCard } from '../../features/approvals/sandbox-card'
import { QuestionsCard } from '../../features/approvals/questions-card'
import { FormCard } from '../../features/approvals/server/form-card'
import { LinkCard } from '../../features/approvals/server/link-card'
import { SamplingCard } from '../../features/approvals/server/sampling-card'
import { Markdown } from '../../features/chat/markdown/markdown-on-demand'

/** A pending request on the matching card. */
export function AnswerCard(props: ApprovalCardProps) {
  if (props.approval.asks === 'budget') return <BudgetCard {...props} />
  switch (props.approval.preview?.kind) {
    case 'plan':
      return (
        <PlanCard
          {...props}
          plan={props.approval.preview}
          renderMarkdown={(text) => <Markdown text={text} streaming={false} />}
        />
      )
    case 'questions':
      return <QuestionsCard {...props} questions={props.approval.preview.questions} />
    case 'form':
      return <FormCard {...props} form={props.approval.preview} />
    case 'link':
      return <LinkCard {...props} link={props.approval.preview} />
    case 'sampling':
      return <SamplingCard {...props} sampling={props.approval.preview} />
    case 'sandbox':
      return <SandboxCard {...props} denial={props.approval.preview} />
    default:
      return <ApprovalCard {...props} />
  }
}
