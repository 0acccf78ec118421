import '../features/approvals/approvals.css'
import { AnswerCard } from './session/answer-card'
import { PreviewView } from '../features/approvals/proposal/preview-view'
import { InboxPage, type InboxCard } from '../features/inbox/inbox-page'
import { useClient } from '../state/page/queries'

export interface InboxViewProps {
  connected: boolean
  userHome: string | undefined
}

/** The inbox in the main area: its requests use the same cards as a conversation. */
export function InboxView({ connected, userHome }: InboxViewProps) {
  return (
    <InboxPage
      connected={connected}
      userHome={userHome}
      renderCard={(card) => <AnswerableCard {...card} />}
      renderPreview={({ preview }, onSeen) => preview && <PreviewView preview={preview} onSeen={onSeen} />}
    />
  )
}

function AnswerableCard({ entry: { sessionId }, approval, place, blocked, onAnswered }: InboxCard) {
  const client = useClient()
  return (
    <AnswerCard
      key={approval.approvalId}
      sessionId={sessionId}
      approval={approval}
      place={place}
      blocked={blocked}
      onReply={async (approvalId, reply) => {
        await client.approval.reply({ sessionId, approvalId, ...reply })
        onAnswered()
      }}
    />
  )
}
