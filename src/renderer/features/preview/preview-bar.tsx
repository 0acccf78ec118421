import { ArrowLeft, ArrowUpRight, Camera, FileText, MousePointerClick, RotateCw, TriangleAlert } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { errorText } from '../../../shared/error-text'
import type { PagePicture } from '../../../shared/model/app/page-preview'
import { showNoticeToast } from '../../state/page/toasts-state'
import { Button, IconButton } from '../../ui/button'
import { cx } from '../../ui/cx'
import type { PreviewControls } from './use-page-reports'

/** Widths that a page can be shown at, in px; undefined: the full width. */
const WIDTHS = [undefined, 390, 768, 1024] as const
export type PageWidth = (typeof WIDTHS)[number]

export interface PreviewBarProps {
  controls: PreviewControls
  /** The full URL of the page on screen. */
  here: string
  width: PageWidth
  onWidth: (width: PageWidth) => void
  /** Shows another server. */
  onOpen: (url: string) => void
  onOpenLink: (url: string) => void
  onProblems: () => void
  onPicture: (picture: PagePicture) => void
}

/** The actions on the page of a preview. */
export function PreviewBar({
  controls,
  here,
  width,
  onWidth,
  onOpen,
  onOpenLink,
  onProblems,
  onPicture,
}: PreviewBarProps) {
  const [isTaking, setIsTaking] = useState(false)
  const { origin } = new URL(here)
  const errors = controls.problems.length
  const take = async (): Promise<void> => {
    setIsTaking(true)
    try {
      onPicture(await controls.capture())
    } catch (error) {
      showNoticeToast(errorText(error), 'warning')
    } finally {
      setIsTaking(false)
    }
  }
  return (
    <div
      role="toolbar"
      aria-label="Preview"
      className="flex flex-none flex-wrap items-center gap-1 border-b border-line px-1.5 py-1"
    >
      <IconButton label="Back" className="size-[25px]!" onClick={() => controls.send({ type: 'go', to: 'back' })}>
        <ArrowLeft aria-hidden />
      </IconButton>
      <IconButton
        label="Reload"
        className="size-[25px]!"
        onClick={() => {
          controls.forgetProblems()
          controls.send({ type: 'go', to: 'reload' })
        }}
      >
        <RotateCw aria-hidden />
      </IconButton>
      <AddressField
        key={here}
        address={here}
        onGo={(next) => {
          if (next.origin === origin) controls.send({ type: 'open', path: next.href.slice(origin.length) })
          else onOpen(next.href)
        }}
      />
      <select
        aria-label="Width of the page"
        value={width ?? ''}
        onChange={(event) => onWidth(WIDTHS.find((one) => String(one ?? '') === event.target.value))}
        className="h-[25px] rounded-sm border border-line-strong bg-raised px-1 text-small text-ink"
      >
        {WIDTHS.map((one) => (
          <option key={one ?? 'full'} value={one ?? ''}>
            {one === undefined ? 'Full' : `${one} px`}
          </option>
        ))}
      </select>
      <IconButton
        label="Pick an element to send to the agent"
        aria-pressed={controls.isPicking}
        className="size-[25px]! aria-pressed:bg-run-bg aria-pressed:text-run-ink"
        onClick={() => controls.send({ type: 'pick', isOn: !controls.isPicking })}
      >
        <MousePointerClick aria-hidden />
      </IconButton>
      <IconButton
        label="Send the page content to the agent"
        className="size-[25px]!"
        onClick={() => controls.send({ type: 'outline' })}
      >
        <FileText aria-hidden />
      </IconButton>
      <IconButton
        label="Send a screenshot to the agent"
        aria-busy={isTaking || undefined}
        disabled={isTaking}
        className="size-[25px]!"
        onClick={() => void take()}
      >
        <Camera aria-hidden />
      </IconButton>
      <Button
        size="small"
        variant="quiet"
        disabled={errors === 0}
        icon={<TriangleAlert aria-hidden />}
        aria-label={`Send ${errors} console ${errors === 1 ? 'message' : 'messages'} to the agent`}
        className={cx(errors > 0 && 'text-fail-ink!')}
        onClick={onProblems}
      >
        {errors}
      </Button>
      <IconButton label="Open in the browser" className="size-[25px]!" onClick={() => onOpenLink(here)}>
        <ArrowUpRight aria-hidden />
      </IconButton>
    </div>
  )
}

/** The address of the page; the user can type another one. */
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

/** The typed URL: complete, without a scheme, only a port, or a path on the same server. */
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
