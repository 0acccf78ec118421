import { Archive, ArchiveRestore, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { archiveAll, removeAll } from '../../state/session-list/bulk-actions'
import { clearSelection, useSelection } from '../../state/session-list/selection-state'
import { useSessions } from '../../state/session-list/sessions-state'
import { showFailureToast } from '../../state/page/toasts-state'
import { useClient } from '../../state/page/queries'
import { Button, IconButton } from '../../ui/button'

/** The actions on the selected sessions; empty while no session is selected. */
export function SelectionBar() {
  const client = useClient()
  const ids = useSelection((state) => state.ids)
  const [busy, setBusy] = useState(false)
  const restores = useSessions(({ sessions }) => [...ids].every((id) => sessions.get(id)?.archived))
  if (ids.size === 0) return null
  return (
    <div
      role="toolbar"
      aria-label="Selected sessions"
      className="flex flex-none flex-col gap-1.5 border-t border-line px-3.5 py-2"
    >
      <div className="flex items-center">
        <span role="status" className="flex-1 text-small text-ink-2 tabular-nums">
          {ids.size} selected
        </span>
        <IconButton label="Clear the selection" kbd="Esc" className="-mr-1.5 size-[25px]" onClick={clearSelection}>
          <X aria-hidden />
        </IconButton>
      </div>
      <div className="flex gap-1.5">
        <Button
          size="small"
          className="flex-1"
          icon={restores ? <ArchiveRestore aria-hidden /> : <Archive aria-hidden />}
          busy={busy}
          onClick={() => {
            setBusy(true)
            void archiveAll(client, [...ids], !restores)
              .catch(showFailureToast)
              .finally(() => setBusy(false))
          }}
        >
          {restores ? 'Restore' : 'Archive'}
        </Button>
        <Button
          size="small"
          variant="danger"
          className="flex-1"
          icon={<Trash2 aria-hidden />}
          onClick={() => removeAll(client, [...ids])}
        >
          Delete
        </Button>
      </div>
    </div>
  )
}
