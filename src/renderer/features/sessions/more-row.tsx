import { Ellipsis } from 'lucide-react'
import type { TreeRow } from './tree-rows'

interface MoreRowProps {
  row: Extract<TreeRow, { kind: 'more' }>
  reachable: boolean
  onShow: (folder: string) => void
  onFocus: (key: string) => void
}

/** The end of a project's sessions that are shown: leads to the next ones. */
export function MoreRow({ row, reachable, onShow, onFocus }: MoreRowProps) {
  return (
    <div
      role="treeitem"
      aria-level={2}
      data-row={row.key}
      tabIndex={reachable ? 0 : -1}
      onClick={() => onShow(row.folder)}
      onFocus={() => onFocus(row.key)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        onShow(row.folder)
      }}
      className="flex h-[28px] cursor-pointer items-center gap-2 rounded-[6px] px-2 text-small text-ink-3 select-none hover:bg-sunken hover:text-ink focus-visible:-outline-offset-2"
    >
      <Ellipsis aria-hidden className="size-[13px] flex-none" />
      Show {row.step} more
      {row.hidden > row.step && <span className="text-tiny">of {row.hidden.toLocaleString()}</span>}
    </div>
  )
}
