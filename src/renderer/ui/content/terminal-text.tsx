import './content.css'
import { memo, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { ansiSpans, type AnsiSpan } from '../../format/ansi-spans'
import { PathText } from './file-link'

interface TerminalTextProps {
  text: string
  /** Output is still arriving: the view follows its end unless scrolled up. */
  live?: boolean
  label?: string
}

/** Length of the end that is shown; the whole is in the task's log. */
const SHOWN_CHARS = 24_000

/** A command's output, with its colors. */
export const TerminalText = memo(function TerminalText({ text, live = false, label = 'Output' }: TerminalTextProps) {
  const box = useRef<HTMLPreElement>(null)
  const atEnd = useRef(true)
  const [all, setAll] = useState(false)
  const cut = !all && text.length > SHOWN_CHARS
  const spans = useMemo(() => ansiSpans(cut ? lastLines(text) : text.replace(/\n+$/, '')), [text, cut])
  useLayoutEffect(() => {
    if (live && atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight
  })
  return (
    <div className="term">
      {cut && (
        <button type="button" className="term-more" data-grows onClick={() => setAll(true)}>
          Show {text.length.toLocaleString()} characters from the beginning
        </button>
      )}
      <pre
        ref={box}
        tabIndex={0}
        role="group"
        aria-label={label}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          atEnd.current = scrollHeight - scrollTop - clientHeight < 12
        }}
      >
        {spans.map((span, index) => (
          <Run key={index} span={span} />
        ))}
      </pre>
    </div>
  )
})

function Run({ span: { text, color, background, bold, dim, italic, underline } }: { span: AnsiSpan }) {
  if (!color && !background && !bold && !dim && !italic && !underline) return <PathText text={text} />
  return (
    <span
      style={{
        ...(color && { color: paint(color) }),
        ...(background && { background: paint(background) }),
        ...(bold && { fontWeight: 650 }),
        ...(dim && { opacity: 0.7 }),
        ...(italic && { fontStyle: 'italic' }),
        ...(underline && { textDecoration: 'underline' }),
      }}
    >
      <PathText text={text} />
    </span>
  )
}

function paint(color: string): string {
  return color.startsWith('#') ? color : `var(--ansi-${color})`
}

function lastLines(text: string): string {
  const end = text.slice(-SHOWN_CHARS)
  return end.slice(end.indexOf('\n') + 1).replace(/\n+$/, '')
}
