import { useEffect, useRef } from 'react'
import { t } from '../../../shared/language/shell-messages'
import type { PaletteProps } from './palette'
import { cx } from '../../ui/cx'

/**
 * The field of the palette until its code is loaded, so that typed text does not go to the previous focus. A page that
 * takes the focus while it loads does not close it; Escape, Tab or a click elsewhere does.
 */
export function PaletteWaiting({
  search,
  onSearch,
  onOpenChange,
}: Pick<PaletteProps, 'search' | 'onSearch' | 'onOpenChange'>) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const close = (event: PointerEvent): void => {
      if (event.target !== field.current) onOpenChange(false)
    }
    window.addEventListener('pointerdown', close)
    return () => window.removeEventListener('pointerdown', close)
  }, [onOpenChange])
  return (
    <div
      role="dialog"
      aria-label="Command palette"
      aria-busy
      className={cx(
        'fixed top-[min(14vh,120px)] left-1/2 z-40 h-[46px] w-[min(600px,calc(100vw-24px))]',
        '-translate-x-1/2 rounded-xl border border-line bg-raised shadow-high',
      )}
    >
      <input
        ref={field}
        autoFocus
        aria-label="Commands"
        value={search}
        placeholder={t('palette.search')}
        onChange={(event) => onSearch(event.target.value)}
        onKeyDown={({ key }) => (key === 'Escape' || key === 'Tab') && onOpenChange(false)}
        onBlur={() => queueMicrotask(() => field.current?.focus())}
        className="h-full w-full bg-transparent px-4 text-body text-ink outline-none"
      />
    </div>
  )
}
