import { CircleSlash, History, Info, RotateCcw } from 'lucide-react'
import { CONTINUE, type UserPart } from '../../../../shared/model/message'
import type { EndItem } from '../../../../shared/model/transcript-item'
import { Button } from '../../../ui/button'
import { ErrorNote } from '../../../ui/error-note'

interface EndNoticeProps {
  item: EndItem
  /** It is the end of the latest turn and nothing runs: going on makes sense. */
  latest: boolean
  /** What the turn was asked, to ask it again when it had come to nothing. */
  prompt: UserPart[] | undefined
  onPrompt: (parts: UserPart[]) => void
}

/** How a turn ended when it did not simply end, and what can be done. */
export function EndNotice({ item, latest, prompt, onPrompt }: EndNoticeProps) {
  // A turn that had come to something goes on; one that had not is asked again.
  const isOver = item.steps <= 1 && item.stop !== 'max_turn_requests' && item.stop !== 'cancelled'
  const again = isOver && prompt ? prompt : CONTINUE
  const action = latest && (
    <Button size="small" icon={<RotateCcw aria-hidden />} onClick={() => onPrompt([...again])}>
      {again === CONTINUE ? 'Continue' : 'Try again'}
    </Button>
  )
  if (item.failure) return <ErrorNote failure={item.failure} actions={action || undefined} />
  switch (item.stop) {
    case 'cancelled':
      return (
        <Line icon={<CircleSlash aria-hidden />} action={action}>
          Stopped.
        </Line>
      )
    case 'interrupted':
      return (
        <Line icon={<History aria-hidden />} action={action}>
          Trestle was closed during this turn. You can continue.
        </Line>
      )
    case 'max_turn_requests':
      return (
        <Line icon={<Info aria-hidden />} action={action}>
          Step limit reached: {item.steps} {item.steps === 1 ? 'step' : 'steps'}.
        </Line>
      )
    case 'repetition':
      return (
        <Line icon={<Info aria-hidden />} action={action}>
          Stopped after {item.steps} steps: the model kept repeating the same call.
        </Line>
      )
    case 'max_tokens':
      return (
        <Line icon={<Info aria-hidden />} action={action}>
          The answer reached the model's length limit.
        </Line>
      )
    case 'refusal':
      return <Line icon={<Info aria-hidden />}>The provider withheld the answer.</Line>
    default:
      return (
        <Line icon={<Info aria-hidden />} action={action}>
          The turn failed.
        </Line>
      )
  }
}

function Line({ icon, action, children }: { icon: React.ReactNode; action?: React.ReactNode; children: React.ReactNode }) {
  return (
    <div className="end-line">
      {icon}
      <span>{children}</span>
      {action}
    </div>
  )
}
