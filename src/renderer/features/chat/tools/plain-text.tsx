import { useState } from 'react'
import { cx } from '../../../ui/cx'

const SHOWN_CHARS = 6000

/** Text as it is, in the font of code. Long text shows its beginning first. */
export function PlainText({ text, label, failed = false }: { text: string; label: string; failed?: boolean }) {
  const [all, setAll] = useState(false)
  const cut = !all && text.length > SHOWN_CHARS + 500
  return (
    <div className={cx('plain-text', failed && 'plain-text-failed')}>
      <pre tabIndex={0} role="group" aria-label={label}>
        {cut ? text.slice(0, SHOWN_CHARS) : text}
      </pre>
      {cut && (
        <button type="button" className="diff-more" data-grows onClick={() => setAll(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </div>
  )
}
