import {
  useCallback,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
  type Ref,
} from 'react'

/** Browsers draw no taller elements; a longer list is scrolled in proportion. */
const MAX_PX = 12_000_000
/** Rows drawn beyond the visible ones. */
const OVERSCAN_ROWS = 12

export interface WindowScrollerHandle {
  /** Brings a row into view, from 0. */
  showRow(row: number, align: 'center' | 'start'): void
  /** The first visible row. */
  firstRow(): number
  focus(): void
}

interface WindowScrollerProps {
  rows: number
  /** Names the list for screen readers. */
  label: string
  className?: string
  /** Called with the rows on screen. */
  onRows?: (first: number, last: number) => void
  renderRow: (row: number) => ReactNode
  ref?: Ref<WindowScrollerHandle>
}

/** A list of up to millions of rows of equal height; only the visible rows are in the document. */
export function WindowScroller({ rows, label, className, onRows, renderRow, ref }: WindowScrollerProps) {
  const box = useRef<HTMLDivElement>(null)
  /** The distance from the top in px, exact where the scrollbar is too coarse. */
  const top = useRef(0)
  const [size, setSize] = useState({ view: 600, row: 20 })
  const [position, setPosition] = useState(0)
  const full = rows * size.row
  const height = Math.min(full, MAX_PX)
  const scale = height > size.view ? Math.max(1, (full - size.view) / (height - size.view)) : 1

  const goTo = useCallback(
    (px: number) => {
      const element = box.current
      if (!element) return
      top.current = Math.max(0, Math.min(px, full - size.view))
      element.scrollTop = top.current / scale
      setPosition(top.current)
    },
    [full, scale, size.view],
  )
  useImperativeHandle(
    ref,
    () => ({
      showRow: (row, align) => goTo(align === 'start' ? row * size.row : (row + 0.5) * size.row - size.view / 2),
      firstRow: () => Math.floor(top.current / size.row),
      focus: () => box.current?.focus({ preventScroll: true }),
    }),
    [goTo, size],
  )
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return undefined
    const measure = (): void => {
      const row = Number.parseFloat(getComputedStyle(element).lineHeight)
      const view = element.clientHeight
      if (view > 0) setSize((now) => (now.view === view && now.row === row ? now : { view, row: row > 0 ? row : 20 }))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    const element = box.current
    if (!element || scale === 1) return undefined
    const wheel = (event: WheelEvent): void => {
      if (event.ctrlKey || event.deltaY === 0) return
      event.preventDefault()
      goTo(top.current + event.deltaY * (event.deltaMode === 1 ? size.row : 1))
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => element.removeEventListener('wheel', wheel)
  }, [goTo, scale, size.row])

  // An estimate of the rows may have been too high.
  const shown = Math.max(0, Math.min(position, full - size.view))
  const first = Math.max(0, Math.floor(shown / size.row) - OVERSCAN_ROWS)
  const last = Math.min(rows, Math.ceil((shown + size.view) / size.row) + OVERSCAN_ROWS)
  useEffect(() => onRows?.(first, last), [onRows, first, last])
  useEffect(() => {
    top.current = Math.min(top.current, Math.max(0, full - size.view))
  }, [full, size.view])

  const onKeyDown = useEffectEvent((event: KeyboardEvent): void => {
    if (event.target !== box.current || event.altKey || event.metaKey) return
    const page = size.view - size.row
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: top.current + size.row,
      ArrowUp: top.current - size.row,
      PageDown: top.current + page,
      PageUp: top.current - page,
      ' ': top.current + (event.shiftKey ? -page : page),
      Home: 0,
      End: full,
    }
    const to = steps[event.key]
    if (to === undefined) return
    event.preventDefault()
    goTo(to)
  })
  useEffect(() => {
    const element = box.current
    const listener = (event: KeyboardEvent): void => onKeyDown(event)
    element?.addEventListener('keydown', listener)
    return () => element?.removeEventListener('keydown', listener)
  }, [])

  return (
    <div
      ref={box}
      className={className}
      role="group"
      aria-label={label}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop } }) => {
        // Setting the scrollbar rounds the position; keep the exact one unless the user scrolled.
        if (Math.abs(top.current / scale - scrollTop) > 1) top.current = scrollTop * scale
        setPosition(top.current)
      }}
    >
      <div style={{ height, position: 'relative', minWidth: 'max-content' }}>
        <div
          style={{
            position: 'absolute',
            minWidth: '100%',
            top: scale === 1 ? first * size.row : shown / scale - (shown - first * size.row),
          }}
        >
          {Array.from({ length: Math.max(0, last - first) }, (_, n) => renderRow(first + n))}
        </div>
      </div>
    </div>
  )
}
