import './terminal.css'
import { useEffect, useRef, useState, type ReactNode, useLayoutEffect } from 'react'
import { useQuery } from '@tanstack/react-query'
import { registerTerminal, useTask } from '../../state/tasks/tasks-state'
import { browserStorage } from '../../state/page/browser-storage'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { ErrorNote } from '../../ui/notice'
import { FindBar, TerminalBar, TypingLine } from './terminal-bars'
import { useLiveTerminal } from './use-live-terminal'
import { useQueries } from '../../state/page/queries'
import { withoutAnsi } from '../../format/ansi-spans'
import { LoadError } from '../../ui/load-error'

/** Rows of a terminal in a card or pane; it starts small and grows with the output. */
const CARD_ROWS = 12
const READER_KEY = 'trestle.screenReader'

export interface TaskTerminalProps {
  taskId: string
  /** `card`: as high as its content, without a toolbar. `page`: fills its box. */
  size: 'card' | 'page'
  onOpenLink: (url: string) => void
  /** At the right end of the toolbar or of the line below. */
  actions?: ReactNode
}

/** The live terminal of a task: its output, and for the user an input mode. */
export function TaskTerminal({ taskId, size, onOpenLink, actions }: TaskTerminalProps) {
  const task = useTask(taskId)
  const box = useRef<HTMLDivElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const before = useRef<HTMLElement>(null)
  const [focused, setFocused] = useState(false)
  const [finding, setFinding] = useState(false)
  const [asText, setAsText] = useState(false)
  const [reader, setReader] = useState(() => browserStorage.read(READER_KEY) === 'on')
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
    // The button that answers is shown only while the terminal has no focus.
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
            browserStorage.write(READER_KEY, on ? 'on' : undefined)
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

/** Bytes per page. */
const PAGE = 64 * 1024

/** A task's output as plain text, a page at a time, from the newest to the first: nothing redraws under the cursor. */
function OutputPages({ taskId }: { taskId: string }) {
  const queries = useQueries()
  /** Ends of the newer pages, the newest last; undefined is the end of the output. */
  const [ends, setEnds] = useState<(number | undefined)[]>([undefined])
  const before = ends.at(-1)
  const query = useQuery(
    queries.task.output.queryOptions({
      input: { taskId, bytes: PAGE, ...(before !== undefined && { before }) },
      retry: false,
      gcTime: 0,
    }),
  )
  const { data, error, refetch } = query
  const text = useRef<HTMLPreElement>(null)
  // Start reading at the end.
  const shown = data?.text
  useLayoutEffect(() => {
    if (shown !== undefined) text.current?.scrollTo({ top: text.current.scrollHeight })
  }, [shown])
  if (error) return <LoadError query={query} className="m-2" />
  const earlier = data ? data.from - data.dropped : 0
  return (
    <div className="output-pages">
      <pre ref={text} tabIndex={0} role="region" aria-label="Output as text">
        {data === undefined ? '' : data.text === '' ? '(no output)' : withoutAnsi(data.text)}
      </pre>
      <div className="output-pages-foot">
        <span role="status" className="min-w-0 flex-1 truncate">
          {data &&
            `Bytes ${data.from.toLocaleString()} to ${data.to.toLocaleString()} of ${data.total.toLocaleString()}`}
          {data && data.dropped > 0 && `; ${data.dropped.toLocaleString()} before are not kept`}
        </span>
        <Button size="small" variant="quiet" disabled={earlier <= 0} onClick={() => setEnds([...ends, earlier])}>
          Earlier
        </Button>
        <Button size="small" variant="quiet" disabled={ends.length === 1} onClick={() => setEnds(ends.slice(0, -1))}>
          Later
        </Button>
        <Button size="small" variant="quiet" onClick={() => void (ends.length > 1 ? setEnds([undefined]) : refetch())}>
          Newest
        </Button>
      </div>
    </div>
  )
}
