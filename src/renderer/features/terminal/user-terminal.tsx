import './terminal.css'
import { Eye, EyeOff, MessageSquareQuote, Plus, RotateCw, Search, Trash2 } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState, type DragEvent } from 'react'
import type { UserTerminal as Terminal } from '../../../shared/model/task/terminal'
import { shortPath } from '../../format/folder-name'
import { useAppInfo, useClient } from '../../state/page/queries'
import { droppedPaths } from '../../state/page/desktop-bridge'
import { showFailureToast, showToast } from '../../state/page/toasts-state'
import { returnToComposer } from '../../state/session/restore-state'
import { takeTyped } from '../../state/tasks/typed-ahead'
import { openNewTerminal } from '../../state/tasks/user-terminals'
import { Button, IconButton } from '../../ui/button'
import { ErrorNote } from '../../ui/notice'
import { focusUnlessMoved } from '../../ui/overlay/return-focus'
import { FindBar } from './terminal-bars'
import { quotedPath, quotedOutput } from './terminal-keys'
import { useUserTerminal } from './use-user-terminal'

export interface UserTerminalProps {
  terminalId: string
  sessionId: string
  onOpenLink: (url: string) => void
  /** Whether it takes the focus once it is ready. */
  takesFocus: () => boolean
  /** Removes the tab. */
  onClose: () => void
}

/** A terminal of the user's own, in a pane. */
export function UserTerminal({ terminalId, sessionId, onOpenLink, takesFocus, onClose }: UserTerminalProps) {
  const client = useClient()
  const userHome = useAppInfo().data?.userHome
  const box = useRef<HTMLDivElement>(null)
  const [finding, setFinding] = useState(false)
  const view = useUserTerminal(terminalId, box, { onFind: () => setFinding(true), onOpenLink })
  const { terminal, info, failure } = view
  const isThere = info !== undefined
  const wantsFocus = useEffectEvent(takesFocus)
  const { type } = view
  const typeAhead = useEffectEvent(() => type(takeTyped(terminalId)))
  useEffect(() => {
    if (!isThere) return
    if (wantsFocus()) terminal.current?.focus()
    typeAhead()
  }, [isThere, terminal])
  const hasFailed = failure !== undefined
  useEffect(() => {
    if (hasFailed) takeTyped(terminalId)
  }, [hasFailed, terminalId])
  const send = (): void => {
    const text = terminal.current?.selection().trim() ?? ''
    if (text === '') return showToast('Select text in the terminal first')
    returnToComposer({ sessionId, parts: [{ type: 'text', text: quotedOutput(text) }] })
  }
  const end = (): void => {
    client.terminal.close({ terminalId }).catch(showFailureToast)
    onClose()
  }
  const onDrop = (event: DragEvent): void => {
    const paths = droppedPaths(event.dataTransfer).map(({ path }) => path)
    const text = event.dataTransfer.getData('text/plain')
    const dropped = paths.length > 0 ? paths : text === '' || text.includes('\n') ? [] : [text]
    if (dropped.length === 0) return
    event.preventDefault()
    view.type(`${dropped.map(quotedPath).join(' ')} `)
    terminal.current?.focus()
  }
  return (
    <div role="group" aria-label="Terminal" data-size="page" className="live-terminal">
      <div role="toolbar" aria-label="Terminal" className="terminal-bar">
        <span className="min-w-0 flex-1 truncate px-1.5 text-small text-ink-3" title={info?.cwd}>
          {info && shortPath(info.cwd, userHome)}
        </span>
        <IconButton label="Find" kbd="Ctrl+Shift+F" onClick={() => setFinding(true)}>
          <Search aria-hidden />
        </IconButton>
        <IconButton label="Send the selection to the agent" onClick={send}>
          <MessageSquareQuote aria-hidden />
        </IconButton>
        {info && <WatchButton terminal={info} />}
        <IconButton label="New terminal" onClick={() => openNewTerminal(client, sessionId)}>
          <Plus aria-hidden />
        </IconButton>
        <IconButton label="End this terminal" onClick={end}>
          <Trash2 aria-hidden />
        </IconButton>
      </div>
      {info?.isWatched && (
        <p role="status" className="flex-none bg-wait-bg px-3 py-1 text-small text-wait-ink">
          The agent can read this terminal. It cannot type.
        </p>
      )}
      {finding && (
        <FindBar
          matches={view.matches}
          onFind={(words, direction, typing) => terminal.current?.find(words, direction, typing)}
          onClose={() => {
            terminal.current?.endFind()
            setFinding(false)
            terminal.current?.focus()
          }}
        />
      )}
      {failure && (
        <ErrorNote
          failure={failure}
          className="m-2"
          actions={
            <Button
              size="small"
              onClick={() => {
                openNewTerminal(client, sessionId)
                onClose()
              }}
            >
              New terminal
            </Button>
          }
        />
      )}
      <div
        role="presentation"
        className="live-terminal-screen"
        onDragOver={(event) => event.preventDefault()}
        onDrop={onDrop}
      >
        <div ref={box} className="live-terminal-box" />
        {!info && !failure && (
          <p role="status" className="live-terminal-wait">
            Opening the terminal…
          </p>
        )}
      </div>
      {info?.status === 'ended' && !failure && (
        <div className="typing-line">
          <span role="status" className="min-w-0 flex-1">
            {endText(info)}
          </span>
          <Button
            size="small"
            icon={<RotateCw aria-hidden />}
            onClick={(event) => {
              const from = event.currentTarget
              client.terminal
                .restart({ terminalId })
                .then(() => focusUnlessMoved(terminal.current ?? null, from), showFailureToast)
            }}
          >
            Restart
          </Button>
        </div>
      )}
    </div>
  )
}

function WatchButton({ terminal: { terminalId, isWatched } }: { terminal: Terminal }) {
  const client = useClient()
  return (
    <IconButton
      label="Let the agent watch this terminal"
      aria-pressed={isWatched}
      className="aria-pressed:bg-wait-bg aria-pressed:text-wait-ink"
      onClick={() => {
        client.terminal.letWatch({ terminalId, isWatched: !isWatched }).catch(showFailureToast)
      }}
    >
      {isWatched ? <Eye aria-hidden /> : <EyeOff aria-hidden />}
    </IconButton>
  )
}

function endText({ exit }: Terminal): string {
  if (exit?.signal !== undefined) return `The shell was ended by ${exit.signal}.`
  return exit && exit.code !== 0 ? `The shell has ended with status ${exit.code}.` : 'The shell has ended.'
}
