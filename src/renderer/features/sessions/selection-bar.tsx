import { Archive, Trash2, X } from 'lucide-react'
import { archiveAll, removeAll } from '../../state/session/bulk-actions'
import { clearSelection, useSelection } from '../../state/session/selection-state'
import { showFailureToast } from '../../state/page/toasts-state'
import { useClient } from '../../state/page/queries'
import { Button, IconButton } from '../../ui/button'

/** What can be done with the selected sessions; nothing while none is selected. */
export function SelectionBar() {
  const client = useClient()
  const ids = useSelection((state) => state.ids)
  if (ids.size === 0) return null
  return (
    <div
      role="toolbar"
      aria-label="Selected sessions"
      className="flex flex-none flex-wrap items-center gap-1 border-t border-line px-3 py-1.5"
    >
      <span role="status" className="min-w-0 flex-1 text-small whitespace-nowrap text-ink-2 tabular-nums">
        {ids.size} selected
      </span>
      <Button
        size="small"
        icon={<Archive aria-hidden />}
        onClick={() => void archiveAll(client, [...ids]).catch(showFailureToast)}
      >
        Archive
      </Button>
      <Button size="small" variant="danger" icon={<Trash2 aria-hidden />} onClick={() => removeAll(client, [...ids])}>
        Delete
      </Button>
      <IconButton label="Clear the selection" kbd="Esc" onClick={clearSelection}>
        <X aria-hidden />
      </IconButton>
    </div>
  )
}
