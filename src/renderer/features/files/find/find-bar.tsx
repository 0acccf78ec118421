import { CaseSensitive, ChevronDown, ChevronUp, Regex, WholeWord, X } from 'lucide-react'
import { useRef, type ReactNode } from 'react'
import { useFirstFocus } from '../../../ui/overlay/first-focus'
import { IconButton } from '../../../ui/button'
import type { FindState } from './use-find'

interface FindBarProps {
  find: FindState
  onStep: (by: 1 | -1) => void
  onClose: () => void
}

/** The field for finding text in a file, with the number of matches. */
export function FindBar({ find, onStep, onClose }: FindBarProps) {
  const field = useRef<HTMLInputElement>(null)
  useFirstFocus(field)
  const { query, setQuery, count, position, problem, isBusy } = find
  const statusText =
    query.text === ''
      ? ''
      : problem !== undefined && count === 0
        ? problem
        : count === 0
          ? isBusy
            ? 'Searching…'
            : 'No matches'
          : position === 0
            ? `${count.toLocaleString('en-US')} ${count === 1 ? 'match' : 'matches'}`
            : `${position.toLocaleString('en-US')} of ${count.toLocaleString('en-US')}`
  return (
    <div role="search" aria-label="This file" className="file-find">
      <input
        ref={field}
        type="text"
        value={query.text}
        aria-label="Find in this file"
        placeholder="Find"
        spellCheck={false}
        maxLength={500}
        onChange={(event) => setQuery({ text: event.target.value })}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter') {
            event.preventDefault()
            onStep(event.shiftKey ? -1 : 1)
          } else if (event.key === 'Escape') {
            event.preventDefault()
            event.stopPropagation()
            onClose()
          }
        }}
      />
      <Switch label="Match case" on={query.caseSensitive} onChange={(caseSensitive) => setQuery({ caseSensitive })}>
        <CaseSensitive aria-hidden />
      </Switch>
      <Switch label="Whole words" on={query.wholeWords} onChange={(wholeWords) => setQuery({ wholeWords })}>
        <WholeWord aria-hidden />
      </Switch>
      <Switch
        label="Regular expression"
        on={query.regularExpression}
        onChange={(regularExpression) => setQuery({ regularExpression })}
      >
        <Regex aria-hidden />
      </Switch>
      <span role="status" className="file-find-count">
        {statusText}
      </span>
      <IconButton label="Previous match" kbd="Shift+Enter" disabled={count === 0} onClick={() => onStep(-1)}>
        <ChevronUp aria-hidden />
      </IconButton>
      <IconButton label="Next match" kbd="Enter" disabled={count === 0} onClick={() => onStep(1)}>
        <ChevronDown aria-hidden />
      </IconButton>
      <IconButton label="Close the search" kbd="Esc" onClick={onClose}>
        <X aria-hidden />
      </IconButton>
    </div>
  )
}

interface SwitchProps {
  label: string
  on: boolean
  onChange: (on: boolean) => void
  children: ReactNode
}

function Switch({ label, on, onChange, children }: SwitchProps) {
  return (
    <IconButton
      label={label}
      aria-pressed={on}
      className="aria-pressed:bg-run-bg aria-pressed:text-run-ink"
      onClick={() => onChange(!on)}
    >
      {children}
    </IconButton>
  )
}
