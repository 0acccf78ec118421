import { useEffect, useEffectEvent, useRef } from 'react'

/** Stands behind the last line of a preview; `onSeen` is called once, when it has come into view, also by scrolling inside the preview. */
export function PreviewEnd({ onSeen }: { onSeen: () => void }) {
  const end = useRef<HTMLSpanElement>(null)
  const seen = useEffectEvent(onSeen)
  useEffect(() => {
    if (!end.current) return undefined
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      seen()
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [])
  return <span ref={end} className="preview-end" aria-hidden />
}
