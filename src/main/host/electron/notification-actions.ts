import { REJECT_OPTIONS, type Approval, type InboxEntry } from '../../../shared/model/approval'

/** A button of a notification: how the request is answered when it is pressed. */
export interface NotificationAnswer {
  label: string
  optionId: string
}

/** A longer command is cut off by some systems. */
const MOST_CHARS = 100

/**
 * Answers that a notification may offer for one request. To reject is always possible. To allow is offered only for a command that asks for no other reason than the usual one, and that can be read in the
 * notification as a whole: what is dangerous, what asks for more than a yes, and what changes files is looked at in the window first.
 */
export function notificationAnswers(entry: InboxEntry, approval: Pick<Approval, 'preview' | 'options' | 'reasons'>): NotificationAnswer[] {
  if (entry.asks !== undefined) return []
  const answers: NotificationAnswer[] = []
  const allowing = approval.options.filter(({ kind }) => kind === 'allow_once')
  const [allow] = allowing
  if (
    allow &&
    allowing.length === 1 &&
    !entry.dangerous &&
    !approval.reasons?.some(({ danger }) => danger) &&
    isShownWhole(entry, approval)
  )
    answers.push({ label: 'Allow once', optionId: allow.optionId })
  const rejecting = approval.options.filter(({ kind }) => kind === 'reject_once')
  const reject = rejecting.find(({ optionId }) => optionId === REJECT_OPTIONS[0]?.optionId) ?? rejecting[0]
  if (reject) answers.push({ label: 'Reject', optionId: reject.optionId })
  return answers
}

/** Only plain letters and signs: nothing that is invisible or changes the order in which it is read. */
function isShownWhole({ summary }: InboxEntry, { preview }: Pick<Approval, 'preview'>): boolean {
  return (
    preview?.kind === 'command' &&
    !preview.background &&
    preview.command === summary &&
    summary.length <= MOST_CHARS &&
    /^[\x20-\x7e]+$/.test(summary)
  )
}
