import { X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { dismissToast, useToasts, type Toast } from '../../state/page/toasts-state'
import { cx } from '../../ui/cx'
import { Button, IconButton } from '../../ui/button'
import { focusUnlessMoved } from '../../ui/overlay/return-focus'

/** How long a toast stays, in ms; one with advice stays longer. Hovering keeps it open. */
const STAY = { plain: 3000, notice: 20_000, fail: 20_000 }
/** With a button: long enough to read it and to reach it by keyboard. */
const STAY_WITH_ACTION = 12_000

/** The region for toasts; announced politely. */
export function Toasts() {
  const toasts = useToasts((state) => state.toasts)
  return (
    <div
      role="region"
      aria-label="Messages"
      className={cx(
        'pointer-events-none fixed right-4 bottom-4 z-50 flex max-mid:top-24',
        'max-mid:bottom-auto w-[min(360px,calc(100vw-32px))] flex-col items-end gap-2',
      )}
    >
      <div aria-live="polite" className="contents">
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} />
        ))}
      </div>
    </div>
  )
}

function ToastCard({ toast }: { toast: Toast }) {
  const [hovered, setHovered] = useState(false)
  /** Where the focus was before it came here. */
  const place = useRef<HTMLElement>(null)
  const close = (): void => {
    const from = place.current
    dismissToast(toast.id)
    requestAnimationFrame(() => focusUnlessMoved(from, null))
  }
  useEffect(() => {
    if (hovered) return undefined
    const timer = setTimeout(() => dismissToast(toast.id), toast.action ? STAY_WITH_ACTION : STAY[toast.tone])
    return () => clearTimeout(timer)
  }, [toast, hovered])
  return (
    <div
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocus={({ relatedTarget, currentTarget }) => {
        setHovered(true)
        if (relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget))
          place.current = relatedTarget
      }}
      onBlur={() => setHovered(false)}
      className={cx(
        'pointer-events-auto flex max-w-full items-start gap-2 rounded-lg',
        'border bg-raised py-1.5 pr-1.5 pl-3 text-ui shadow-high',
        toast.tone === 'fail' ? 'border-[color-mix(in_oklab,var(--fail)_40%,var(--line))]' : 'border-line',
      )}
    >
      <div className="min-w-0 flex-1 py-1">
        <p className={cx('font-medium', toast.tone === 'fail' && 'text-fail-ink')}>{toast.title}</p>
        {toast.message && <p className="break-words text-ink-2">{toast.message}</p>}
      </div>
      {toast.action && (
        <Button
          size="small"
          className="mt-0.5"
          onClick={() => {
            toast.action?.run()
            close()
          }}
        >
          {toast.action.label}
        </Button>
      )}
      <IconButton label="Dismiss" onClick={close}>
        <X aria-hidden />
      </IconButton>
    </div>
  )
}
