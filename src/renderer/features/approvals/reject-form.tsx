import { useEffect, useRef, useState } from 'react'
import { useEscape } from '../../state/escape'
import { Button } from '../../ui/button'

interface RejectFormProps {
  /** `undefined`: no reason was given. */
  onSend: (feedback: string | undefined) => void
  onBack: () => void
}

const MOST = 10_000

/** Asks for the reason, which goes to the model. Enter rejects, with or without one; Esc goes back. */
export function RejectForm({ onSend, onBack }: RejectFormProps) {
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    field.current?.focus()
  }, [])
  useEscape('form', true, onBack)
  const send = (): void => onSend(text.trim() === '' ? undefined : text.trim())
  return (
    <form
      className="approval-reject"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={field}
        rows={1}
        value={text}
        maxLength={MOST}
        aria-label="Tell the agent what to do instead"
        placeholder="Tell the agent what to do instead"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault()
            // A key still held from choosing "Reject" is not yet the answer.
            if (!event.repeat) send()
          }
        }}
      />
      <Button type="submit" kbd="Enter">
        Reject
      </Button>
      <Button variant="quiet" kbd="Esc" onClick={onBack}>
        Back
      </Button>
    </form>
  )
}
