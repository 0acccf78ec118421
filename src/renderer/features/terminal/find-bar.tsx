import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../ui/icon-button'

interface FindBarProps {
  matches: { index: number; count: number } | undefined
  onFind: (words: string, direction: 'next' | 'previous', typing: boolean) => void
  onClose: () => void
}

/** Search in what a terminal shows. */
export function FindBar({ matches, onFind, onClose }: FindBarProps) {
  const [words, setWords] = useState('')
  return (
    <div role="search" aria-label="Terminal" className="find-bar">
      <input
        autoFocus
        type="text"
        value={words}
        aria-label="Find in the terminal"
        placeholder="Find"
        spellCheck={false}
        className="h-[25px] min-w-0 flex-1 rounded-sm border border-line-strong bg-raised px-2 text-small text-ink"
        onChange={(event) => {
          setWords(event.target.value)
          onFind(event.target.value, 'next', true)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onFind(words, event.shiftKey ? 'previous' : 'next', false)
          else if (event.key === 'Escape') {
            event.preventDefault()
            event.stopPropagation()
            onClose()
          }
        }}
      />
      <span role="status" className="min-w-[72px] text-right text-tiny text-ink-3 tabular-nums">
        {words !== '' && matches ? said(matches) : ''}
      </span>
      <IconButton label="Previous match" onClick={() => onFind(words, 'previous', false)}>
        <ChevronUp aria-hidden />
      </IconButton>
      <IconButton label="Next match" onClick={() => onFind(words, 'next', false)}>
        <ChevronDown aria-hidden />
      </IconButton>
      <IconButton label="Close the search" onClick={onClose}>
        <X aria-hidden />
      </IconButton>
    </div>
  )
}

function said({ index, count }: { index: number; count: number }): string {
  if (count === 0) return 'not found'
  return index < 0 ? `${count} found` : `${index + 1} of ${count}`
}
