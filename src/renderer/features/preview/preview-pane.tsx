import { ArrowLeft, ArrowUpRight, FileText, MousePointerClick, RotateCw, TriangleAlert } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { returnToComposer } from '../../state/session/restore-state'
import { showNoticeToast, showToast } from '../../state/page/toasts-state'
import { Button, IconButton } from '../../ui/button'
import { cx } from '../../ui/cx'
import { EmptyState, ErrorNote } from '../../ui/notice'
import { Spinner } from '../../ui/loading'
import { elementMessage, outlineMessage, problemsMessage } from './preview-message'
import { usePreview } from './use-preview'

export interface PreviewPaneProps {
  sessionId: string
  url: string
  /** Shows another server. */
  onOpen: (url: string) => void
  onOpenLink: (url: string) => void
}

/** Widths that a page can be shown at, in px; undefined: all there is. */
const WIDTHS = [undefined, 390, 768, 1024] as const

/** A page of a server on this machine, in a frame that is isolated from Trestle. */
export function PreviewPane({ sessionId, url, onOpen, onOpenLink }: PreviewPaneProps) {
  const [width, setWidth] = useState<(typeof WIDTHS)[number]>()
  const { origin } = new URL(url)
  const quote = (text: string, told: string): void => {
    returnToComposer({ sessionId, parts: [{ type: 'text', text }] })
    showToast(told)
  }
  const view = usePreview(url, {
    onPicked: (element) => quote(elementMessage(here, element), 'The element is in your message'),
    onOutline: (outline) => quote(outlineMessage(here, outline), 'The page is in your message'),
  })
  const { frame } = view
  const here = origin + (view.place?.url ?? '/')
  const errors = view.problems.length
  if (view.frameUrl === null) return <NoPreview origin={origin} onOpenLink={onOpenLink} />
  return (
    <div className="flex min-h-0 flex-1 flex-col bg-panel">
      <div
        role="toolbar"
        aria-label="Preview"
        className="flex flex-none flex-wrap items-center gap-1 border-b border-line px-1.5 py-1"
      >
        <IconButton label="Back" className="size-[25px]!" onClick={() => view.send({ type: 'go', to: 'back' })}>
          <ArrowLeft aria-hidden />
        </IconButton>
        <IconButton
          label="Reload"
          className="size-[25px]!"
          onClick={() => {
            view.forgetProblems()
            view.send({ type: 'go', to: 'reload' })
          }}
        >
          <RotateCw aria-hidden />
        </IconButton>
        <AddressField
          key={here}
          address={here}
          onGo={(next) => {
            if (next.origin === origin) view.send({ type: 'open', path: next.href.slice(origin.length) })
            else onOpen(next.href)
          }}
        />
        <select
          aria-label="Width of the page"
          value={width ?? ''}
          onChange={(event) => setWidth(WIDTHS.find((one) => String(one ?? '') === event.target.value))}
          className="h-[25px] rounded-sm border border-line-strong bg-raised px-1 text-small text-ink"
        >
          {WIDTHS.map((one) => (
            <option key={one ?? 'full'} value={one ?? ''}>
              {one === undefined ? 'Full' : `${one} px`}
            </option>
          ))}
        </select>
        <IconButton
          label="Click an element to show the agent"
          aria-pressed={view.isPicking}
          className="size-[25px]! aria-pressed:bg-run-bg aria-pressed:text-run-ink"
          onClick={() => view.send({ type: 'pick', isOn: !view.isPicking })}
        >
          <MousePointerClick aria-hidden />
        </IconButton>
        <IconButton
          label="Send what is on the page to the agent"
          className="size-[25px]!"
          onClick={() => view.send({ type: 'outline' })}
        >
          <FileText aria-hidden />
        </IconButton>
        <Button
          size="small"
          variant="quiet"
          disabled={errors === 0}
          icon={<TriangleAlert aria-hidden />}
          aria-label={`Send ${errors} console ${errors === 1 ? 'message' : 'messages'} to the agent`}
          className={cx(errors > 0 && 'text-fail-ink!')}
          onClick={() => {
            quote(problemsMessage(here, view.problems), 'The console is in your message')
            view.forgetProblems()
          }}
        >
          {errors}
        </Button>
        <IconButton label="Open in the browser" className="size-[25px]!" onClick={() => onOpenLink(here)}>
          <ArrowUpRight aria-hidden />
        </IconButton>
      </div>
      {view.failure && <ErrorNote failure={view.failure} className="m-3" />}
      {view.frameUrl === undefined && !view.failure && (
        <div className="m-auto">
          <Spinner label="Opening the preview" />
        </div>
      )}
      {view.frameUrl !== undefined && (
        <div className="flex min-h-0 flex-1 justify-center overflow-x-auto bg-sunken">
          <iframe
            ref={frame}
            src={view.frameUrl}
            title={`Preview of ${origin}`}
            // Scripts there reach neither this page nor its storage.
            // oxlint-disable-next-line react/iframe-missing-sandbox -- its origin is not Trestle's
            sandbox="allow-scripts allow-same-origin allow-forms allow-modals allow-downloads"
            referrerPolicy="no-referrer"
            style={{ background: '#fff', ...(width !== undefined && { width }) }}
            className={cx('h-full flex-none border-0', width === undefined && 'w-full')}
          />
        </div>
      )}
    </div>
  )
}

/** Where the page is; another address can be typed. */
function AddressField({ address, onGo }: { address: string; onGo: (url: URL) => void }) {
  const [typed, setTyped] = useState(address)
  const go = (event: FormEvent): void => {
    event.preventDefault()
    const url = addressOf(typed, address)
    if (url) onGo(url)
    else showNoticeToast('Type the address of a server on this machine, such as localhost:5173.', 'warning')
  }
  return (
    <form onSubmit={go} className="min-w-[120px] flex-1">
      <input
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        aria-label="Address"
        spellCheck={false}
        className="h-[25px] w-full rounded-sm border border-line-strong bg-raised px-2 text-small text-ink"
      />
    </form>
  )
}

/** The URL that was typed: whole, without its scheme, a port, or a path of the same server. */
export function addressOf(typed: string, base: string): URL | undefined {
  const text = typed.trim()
  const whole = /^:?\d{2,5}$/.test(text)
    ? `http://localhost:${text.replace(':', '')}/`
    : text.startsWith('/') || /^https?:/i.test(text)
      ? text
      : `http://${text}`
  const url = URL.canParse(whole, base) ? new URL(whole, base) : undefined
  return url?.protocol === 'http:' ? url : undefined
}

function NoPreview({ origin, onOpenLink }: { origin: string; onOpenLink: (url: string) => void }) {
  return (
    <EmptyState
      className="m-auto"
      title="No preview here"
      actions={
        <Button size="small" onClick={() => onOpenLink(origin)}>
          Open in the browser
        </Button>
      }
    >
      This window can’t show pages of {origin}.
    </EmptyState>
  )
}
