import { ApprovalCard, type ApprovalCardProps } from './features/approvals/approval-card'
import './features/approvals/approvals.css'
import './features/approvals/person-cards.css'
import { PlanCard } from './features/approvals/plan-card'
import { QuestionsCard } from './features/approvals/questions-card'
import { Markdown } from './features/chat/markdown/markdown'

/** What waits for the user, on the card that fits it. */
export function AnswerCard(props: ApprovalCardProps) {
  switch (props.approval.preview?.kind) {
    case 'plan':
      return <PlanCard {...props} plan={props.approval.preview} renderMarkdown={(text) => <Markdown text={text} streaming={false} />} />
    case 'questions':
      return <QuestionsCard {...props} questions={props.approval.preview.questions} />
    default:
      return <ApprovalCard {...props} />
  }
}
