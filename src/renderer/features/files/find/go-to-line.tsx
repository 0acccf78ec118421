import { useRef, useState } from 'react'
import { useFirstFocus } from '../../../ui/overlay/first-focus'

interface GoToLineProps {
  total: number
  isCounted: boolean
  onGo: (line: number) => void
  onClose: () => void
}

/** The field for a line number. */
export function GoToLine({ total, isCounted, onGo, onClose }: GoToLineProps) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  useFirstFocus(field)
  const line = Number.parseInt(text, 10)
  const isLine = Number.isInteger(line) && line >= 1 && (line <= total || !isCounted)
  return (
    <form
      className="file-find"
      aria-label="Go to line"
      onSubmit={(event) => {
        event.preventDefault()
        if (isLine) onGo(line)
      }}
    >
      <input
        ref={field}
        type="text"
        inputMode="numeric"
        value={text}
        aria-label={`Line, 1 to ${total}`}
        placeholder="Line"
        aria-invalid={text !== '' && !isLine}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          event.stopPropagation()
          onClose()
        }}
        onBlur={onClose}
      />
      <span role="status" className="file-find-count">
        {text !== '' && !isLine
          ? `Type a line from 1 to ${total.toLocaleString('en-US')}`
          : `${isCounted ? '' : 'about '}${total.toLocaleString('en-US')} ${total === 1 ? 'line' : 'lines'} ` +
            '· Enter to go'}
      </span>
    </form>
  )
}
