import { useRef, useState, type RefObject } from 'react'
import type { Failure } from '../../../shared/errors'
import { failureFrom } from '../../client/failure-from'
import type { ApprovalCardProps } from './approval-card'
import { reportUnusedAnswer, type ApprovalReply } from './card-actions'

export interface ReplyState {
  card: RefObject<HTMLDivElement | null>
  sent: boolean
  failure: Failure | undefined
  send: (reply: ApprovalReply) => void
}

/** Sends the answer of a card once; after a failure it can be answered again. */
export function useReply({ approval: { approvalId }, onReply, onAnswered }: ApprovalCardProps): ReplyState {
  const card = useRef<HTMLDivElement>(null)
  const [sent, setSent] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const send = async (reply: ApprovalReply): Promise<void> => {
    const focused = card.current?.contains(document.activeElement) ?? false
    setSent(true)
    setFailure(undefined)
    try {
      await onReply(approvalId, reply)
      if (focused) onAnswered?.()
    } catch (error) {
      const failed = failureFrom(error)
      if (failed.code === 'approval.gone') return reportUnusedAnswer(failed)
      setFailure(failed)
      setSent(false)
    }
  }
  return { card, sent, failure, send: (reply) => void send(reply) }
}
