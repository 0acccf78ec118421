import { t } from '../../../shared/language/shell-messages'
import type { PaletteProps } from './palette'

/** The field of the palette, until its code is there: what is typed must not go to where the focus was before. */
export function PaletteWaiting({
  search,
  onSearch,
  onOpenChange,
}: Pick<PaletteProps, 'search' | 'onSearch' | 'onOpenChange'>) {
  return (
    <div
      role="dialog"
      aria-label="Command palette"
      aria-busy
      className="fixed top-[min(14vh,120px)] left-1/2 z-40 h-[46px] w-[min(600px,calc(100vw-24px))] -translate-x-1/2 rounded-xl border border-line bg-raised shadow-high"
    >
      <input
        autoFocus
        aria-label="Commands"
        value={search}
        placeholder={t('palette.search')}
        onChange={(event) => onSearch(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onOpenChange(false)}
        onBlur={(event) => event.relatedTarget && onOpenChange(false)}
        className="h-full w-full bg-transparent px-4 text-body text-ink outline-none"
      />
    </div>
  )
}
