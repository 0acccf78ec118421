import { ArrowDownToLine, Copy, Download, Ear, FileText, Search, ChevronDown, ChevronUp, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Task } from '../../../shared/model/task/task'
import { useTaskActions } from '../../state/tasks/task-actions'
import { showToast, showFailureToast } from '../../state/page/toasts-state'
import { IconButton, Button } from '../../ui/button'
import type { LiveTerminalView } from './use-live-terminal'
import { cx } from '../../ui/cx'
import { StatusDot } from '../../ui/badge'
import { Kbd } from '../../ui/tooltip'

interface TerminalBarProps {
  view: LiveTerminalView
  task: Task | undefined
  /** The output is shown as plain text instead. */
  asText: boolean
  onAsText: (on: boolean) => void
  /** Output is announced by screen readers. */
  reader: boolean
  onReader: (on: boolean) => void
  onFind: () => void
  actions: ReactNode
}

const PRESSED = 'aria-pressed:bg-sunken aria-pressed:text-ink'

/** The terminal's actions: find, copy, follow, view as text, read aloud, download. */
export function TerminalBar({ view, task, asText, onAsText, reader, onReader, onFind, actions }: TerminalBarProps) {
  const tasks = useTaskActions()
  const { terminal, following } = view
  return (
    <div role="toolbar" aria-label="Terminal" className="terminal-bar">
      <IconButton label="Find" kbd="Mod+F" disabled={asText} onClick={onFind}>
        <Search aria-hidden />
      </IconButton>
      <IconButton
        label="Copy the selection, or everything"
        disabled={asText}
        onClick={() =>
          void navigator.clipboard
            .writeText(terminal.current?.text() ?? '')
            .then(() => showToast('Output copied'), showFailureToast)
        }
      >
        <Copy aria-hidden />
      </IconButton>
      <IconButton
        label="Auto-scroll"
        aria-pressed={following}
        className={PRESSED}
        disabled={asText}
        onClick={() => terminal.current?.follow(!following)}
      >
        <ArrowDownToLine aria-hidden />
      </IconButton>
      <IconButton label="Plain text" aria-pressed={asText} className={PRESSED} onClick={() => onAsText(!asText)}>
        <FileText aria-hidden />
      </IconButton>
      <IconButton
        label="Read aloud by a screen reader"
        aria-pressed={reader}
        className={PRESSED}
        onClick={() => onReader(!reader)}
      >
        <Ear aria-hidden />
      </IconButton>
      {task && (
        <IconButton label="Download the log" onClick={() => tasks.download(task)}>
          <Download aria-hidden />
        </IconButton>
      )}
      <span className="flex-1" />
      {actions}
    </div>
  )
}

interface FindBarProps {
  matches: { index: number; count: number } | undefined
  onFind: (words: string, direction: 'next' | 'previous', typing: boolean) => void
  onClose: () => void
}

/** Find in the terminal. */
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
        {words !== '' && matches ? matchCountText(matches) : ''}
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

function matchCountText({ index, count }: { index: number; count: number }): string {
  if (count === 0) return 'not found'
  return index < 0 ? `${count} found` : `${index + 1} of ${count}`
}

/** Maximum number of dots. */
const MAX_DOTS = 24

interface TypingLineProps {
  /** The program's prompt, when it waits for input. */
  prompt: string | undefined
  focused: boolean
  /** Characters of the line being typed. */
  typed: number
  onAnswer: () => void
  actions?: ReactNode
}

/** Below an interactive terminal: whether it waits for input, where input goes, and dots for the typed characters. */
export function TypingLine({ prompt, focused, typed, onAnswer, actions }: TypingLineProps) {
  const waits = prompt !== undefined
  return (
    <div className={cx('typing-line', waits && 'typing-line-waits')}>
      <div role="status" className="flex min-w-0 flex-[1_1_260px] flex-wrap items-center gap-x-2">
        {waits && !focused && (
          <>
            <StatusDot status="waiting" silent />
            <span className="min-w-0 truncate font-medium">
              Needs input: {prompt === '' ? 'the program is waiting for input' : prompt}
            </span>
          </>
        )}
        {focused ? (
          <>
            <span>Sent only to the program. Not logged or shared with the model.</span>
            <span className="inline-flex items-center gap-1">
              <Kbd keys="Esc" /> leaves
              <span className="sr-only"> the terminal; Control and [ sends Escape to the program</span>
            </span>
          </>
        ) : (
          waits && <span className="text-ink-3">Your input stays there.</span>
        )}
      </div>
      {typed > 0 && (
        <span className="flex-none tracking-[2px]" aria-label={`${typed} typed`} role="img">
          {'•'.repeat(Math.min(typed, MAX_DOTS))}
        </span>
      )}
      <span className="flex flex-none items-center">
        {!focused && (
          <Button size="small" variant={waits ? 'primary' : 'quiet'} data-answer onClick={onAnswer}>
            {waits ? 'Answer' : 'Type input'}
          </Button>
        )}
        {actions}
      </span>
    </div>
  )
}
