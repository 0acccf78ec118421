import { useCallback, useState } from 'react'

/** A few words that fade over into the next ones, while what stands around them moves along. */
export function CrossfadeText({ text, className }: { text: string; className?: string }) {
  const [width, setWidth] = useState<number>()
  const [shown, setShown] = useState<{ text: string; before: string | undefined }>({ text, before: undefined })
  if (shown.text !== text) setShown({ text, before: shown.text })
  // The words change their width, too, when the font comes or its size changes.
  const measure = useCallback((words: HTMLSpanElement) => {
    const observer = new ResizeObserver(() => setWidth(words.offsetWidth))
    observer.observe(words)
    return () => observer.disconnect()
  }, [])
  return (
    <span className={`crossfade ${className ?? ''}`} style={{ width }}>
      <span ref={measure} key={text} className="crossfade-now">
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
