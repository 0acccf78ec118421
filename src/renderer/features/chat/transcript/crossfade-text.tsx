import { useLayoutEffect, useRef, useState } from 'react'

/** A few words that fade over into the next ones, while what stands around them moves along. */
export function CrossfadeText({ text, className }: { text: string; className?: string }) {
  const now = useRef<HTMLSpanElement>(null)
  const [width, setWidth] = useState<number>()
  const [shown, setShown] = useState<{ text: string; before: string | undefined }>({ text, before: undefined })
  if (shown.text !== text) setShown({ text, before: shown.text })
  // After each drawing: the font may have come, or its size may have changed.
  useLayoutEffect(() => setWidth(now.current?.offsetWidth))
  return (
    <span className={`crossfade ${className ?? ''}`} style={{ width }}>
      <span ref={now} key={text} className="crossfade-now">
        {text}
      </span>
      {shown.before !== undefined && (
        <span
          key={`before ${shown.before}`}
          aria-hidden
          className="crossfade-before"
          onAnimationEnd={() => setShown((latest) => ({ ...latest, before: undefined }))}
        >
          {shown.before}
        </span>
      )}
    </span>
  )
}
