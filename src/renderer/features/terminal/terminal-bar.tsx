import { ArrowDownToLine, Copy, Download, Ear, FileText, Search } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Task } from '../../../shared/model/task'
import { useTaskActions } from '../../state/task-actions'
import { tell, tellFailure } from '../../state/toasts-state'
import { IconButton } from '../../ui/icon-button'
import type { LiveTerminalView } from './use-live-terminal'

interface TerminalBarProps {
  view: LiveTerminalView
  task: Task | undefined
  /** The output is shown as plain text instead. */
  asText: boolean
  onAsText: (on: boolean) => void
  /** What is printed is told to a screen reader. */
  reader: boolean
  onReader: (on: boolean) => void
  onFind: () => void
  actions: ReactNode
}

const PRESSED = 'aria-pressed:bg-sunken aria-pressed:text-ink'

/** What can be done with a terminal: find, copy, follow, read as text, hear, save. */
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
        onClick={() => void navigator.clipboard.writeText(terminal.current?.text() ?? '').then(() => tell('Output copied'), tellFailure)}
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
      <IconButton label="Read aloud by a screen reader" aria-pressed={reader} className={PRESSED} onClick={() => onReader(!reader)}>
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
