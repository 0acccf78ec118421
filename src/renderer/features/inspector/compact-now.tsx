import { FoldVertical, Undo2 } from 'lucide-react'
import { useState } from 'react'
import type { SessionHeader } from '../../../shared/model/session'
import { tellFailure } from '../../state/toasts-state'
import { useClient } from '../../state/trestle-context'
import { Button } from '../../ui/button'
import { TextField } from '../../ui/text-field'

/** Compacts the conversation by hand, with what is to be kept; and takes the latest compaction back. */
export function CompactNow({ header, compactable }: { header: SessionHeader; compactable: boolean }) {
  const client = useClient()
  const [keep, setKeep] = useState('')
  const { sessionId, compacted, compacting, turnId } = header
  const busy = turnId !== undefined
  const compact = (): void => {
    const instruction = keep.trim()
    client.session.compact({ sessionId, ...(instruction !== '' && { instruction }) }).then(() => setKeep(''), tellFailure)
  }
  const undo = (compactionId: string): void => void client.session.undoCompaction({ sessionId, compactionId }).catch(tellFailure)
  return (
    <form
      aria-label="Compact the conversation"
      className="space-y-2.5"
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy && compactable && !compacting) compact()
      }}
    >
      <TextField
        label="Compact"
        hint="Replaces the conversation with a summary. Your messages and to-dos are kept. You can undo it."
        placeholder="What to keep, e.g. the API decisions"
        value={keep}
        onChange={(event) => setKeep(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          size="small"
          icon={<FoldVertical aria-hidden />}
          busy={compacting !== undefined}
          disabled={busy || !compactable}
          title={busy ? 'When the turn has ended' : undefined}
        >
          Compact now
        </Button>
        {compacted && (
          <Button
            size="small"
            variant="quiet"
            icon={<Undo2 aria-hidden />}
            disabled={busy || compacting !== undefined}
            onClick={() => undo(compacted.compactionId)}
          >
            Undo last compaction
          </Button>
        )}
      </div>
    </form>
  )
}
