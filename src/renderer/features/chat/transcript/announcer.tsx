import { useEffect, useRef, useState } from 'react'
import type { TranscriptItem } from '../../../../shared/model/transcript-item'

/** Longer answers are announced by their beginning; the rest is in the transcript. */
const SPOKEN_CHARS = 600

/** Tells screen readers about answers when they are finished, not chunk by chunk. */
export function Announcer({ items }: { items: readonly TranscriptItem[] }) {
  const [said, setSaid] = useState('')
  const last = useRef<string>(undefined)
  useEffect(() => {
    const found = newest(items)
    // What was there when the session was opened is not news.
    if (last.current === undefined) last.current = found?.id ?? ''
    if (!found || found.id === last.current) return
    last.current = found.id
    setSaid(found.text)
  }, [items])
  return (
    <div className="sr-only" aria-live="polite">
      {said}
    </div>
  )
}

function newest(items: readonly TranscriptItem[]): { id: string; text: string } | undefined {
  for (let n = items.length - 1; n >= Math.max(0, items.length - 50); n -= 1) {
    const item = items[n]
    if (item?.kind === 'end')
      return { id: item.id, text: item.failure ? `The turn failed: ${item.failure.title}. ${item.failure.advice}` : 'The turn ended.' }
    if (item?.kind !== 'answer' || item.streaming) continue
    const text = item.segments
      .map((segment) => (segment.type === 'text' ? segment.text : ''))
      .join(' ')
      .trim()
    if (text !== '')
      return { id: item.id, text: text.length > SPOKEN_CHARS ? `${text.slice(0, SPOKEN_CHARS)} … The rest is in the transcript.` : text }
  }
  return undefined
}
