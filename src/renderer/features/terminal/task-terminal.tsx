import { useEffect, useRef, useState, type ReactNode } from 'react'
import { registerTerminal } from '../../state/answer-task'
import { stored } from '../../state/stored'
import { useTask } from '../../state/tasks-state'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { ErrorNote } from '../../ui/error-note'
import { FindBar } from './find-bar'
import { OutputPages } from './output-pages'
import { TerminalBar } from './terminal-bar'
import './terminal.css'
import { TypingLine } from './typing-line'
import { useLiveTerminal } from './use-live-terminal'

/** Rows of a terminal in a card or pane; it begins small and grows with what is printed. */
const CARD_ROWS = 12
const READER_KEY = 'trestle.screenReader'

export interface TaskTerminalProps {
  taskId: string
  /** `card`: as high as its content, without a bar. `page`: fills its box. */
  size: 'card' | 'page'
  onOpenLink: (url: string) => void
  /** At the right end of the bar or of the line below. */
  actions?: ReactNode
}

/** The live terminal of a task: what it prints, and for a person the keys to answer it. */
export function TaskTerminal({ taskId, size, onOpenLink, actions }: TaskTerminalProps) {
  const task = useTask(taskId)
  const box = useRef<HTMLDivElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const before = useRef<HTMLElement>(null)
  const [focused, setFocused] = useState(false)
  const [finding, setFinding] = useState(false)
  const [asText, setAsText] = useState(false)
  const [reader, setReader] = useState(() => stored.read(READER_KEY) === 'on')
  const canType = task?.status === 'running'

  const view = useLiveTerminal({
    taskId,
    box,
    growsTo: size === 'card' ? CARD_ROWS : undefined,
    canType,
    screenReader: reader,
    onLeave: () => leave(),
    onFind: () => size === 'page' && setFinding(true),
    onOpenLink,
  })
  const { terminal, status, typed } = view

  const enter = (): void => {
    if (document.activeElement instanceof HTMLElement && !frame.current?.contains(document.activeElement))
      before.current = document.activeElement
    terminal.current?.focus()
  }
  const leave = (): void => {
    terminal.current?.blur()
    // The button that answers is only there while one does not type.
    requestAnimationFrame(() => {
      const answer = frame.current?.querySelector<HTMLElement>('[data-answer]')
      if (before.current?.isConnected) before.current.focus()
      else (answer ?? frame.current)?.focus()
    })
  }

  useEffect(() => {
    if (status !== 'ready' || !canType || asText) return undefined
    return registerTerminal(taskId, () => {
      frame.current?.scrollIntoView({ block: 'nearest' })
      if (document.activeElement instanceof HTMLElement) before.current = document.activeElement
      terminal.current?.focus()
    })
  }, [status, canType, asText, taskId, terminal])

  const name = task ? `Terminal of ${task.command}` : 'Terminal'
  return (
    <div ref={frame} tabIndex={-1} role="group" aria-label={name} data-size={size} className="live-terminal">
      {size === 'page' && (
        <TerminalBar
          view={view}
          task={task}
          asText={asText}
          onAsText={setAsText}
          reader={reader}
          onReader={(on) => {
            stored.write(READER_KEY, on ? 'on' : undefined)
            setReader(on)
          }}
          onFind={() => setFinding(true)}
          actions={actions}
        />
      )}
      {finding && (
        <FindBar
          matches={view.matches}
          onFind={(words, direction, typing) => terminal.current?.find(words, direction, typing)}
          onClose={() => {
            terminal.current?.endFind()
            setFinding(false)
            enter()
          }}
        />
      )}
      {status === 'failed' && view.failure && <ErrorNote failure={view.failure} className="m-2" />}
      {asText && <OutputPages taskId={taskId} />}
      <div
        role="presentation"
        className={cx('live-terminal-screen', (asText || status === 'failed') && 'hidden')}
        data-focused={focused || undefined}
        onFocus={(event) => setFocused(event.target instanceof HTMLTextAreaElement)}
        onBlur={() => setFocused(false)}
      >
        {view.older === 'too-much' && (
          <p className="live-terminal-note">
            Older output is too long for this view.{' '}
            <Button size="small" variant="quiet" onClick={() => setAsText(true)}>
              View as text
            </Button>
          </p>
        )}
        {view.older === 'loading' && <p className="live-terminal-note">Reading older output…</p>}
        <div ref={box} className="live-terminal-box" />
        {status === 'loading' && (
          <p role="status" className="live-terminal-wait">
            Opening the terminal…
          </p>
        )}
      </div>
      {task && canType && !asText && status === 'ready' && (
        <TypingLine
          prompt={task.prompt?.text}
          focused={focused}
          typed={typed}
          onAnswer={enter}
          actions={size === 'card' ? actions : undefined}
        />
      )}
    </div>
  )
}
