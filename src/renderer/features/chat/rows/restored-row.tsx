import { History } from 'lucide-react'
import { memo } from 'react'
import type { RestoredItem } from '../../../../shared/model/transcript-item'
import { takeBack } from '../../../state/restore-state'
import { useSessionHeader } from '../../../state/session-view'
import { useClient } from '../../../state/trestle-context'
import { DMailCard } from './d-mail-card'

/** Where the session went back, and the way forth again. */
export const RestoredRow = memo(function RestoredRow({ sessionId, item }: { sessionId: string; item: RestoredItem }) {
  const client = useClient()
  const busy = useSessionHeader(sessionId)?.turnId !== undefined
  const { seq, files, conversation, dMail } = item
  const back = (
    <button
      type="button"
      className="shrink-0 text-ink-2 underline underline-offset-2 disabled:text-ink-3 disabled:no-underline"
      disabled={busy}
      title={busy ? 'When the turn has ended' : undefined}
      onClick={() => void takeBack(client, sessionId, { seq, files: files > 0, conversation })}
    >
      Undo
    </button>
  )
  if (dMail) return <DMailCard id={`${sessionId}/${item.id}`} item={item} dMail={dMail} back={back} />
  return (
    <p className="notice">
      <History aria-hidden />
      <span className="min-w-0">{wordsOf(item)}</span>
      {back}
    </p>
  )
})

function wordsOf({ files, kept, conversation, part }: RestoredItem): string {
  if (part === 'hunk') return 'One change in a file was undone.'
  const paths = `${files} ${files === 1 ? 'file' : 'files'}`
  const what = conversation
    ? files > 0
      ? `Restored the conversation and ${paths} to this point.`
      : 'Restored the conversation to this point.'
    : `Restored ${paths}.`
  return kept > 0 ? `${what} ${kept === 1 ? 'One was' : `${kept} were`} not changed.` : what
}
