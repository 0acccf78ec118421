import { History, ChevronRight, Send } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import type { RestoredItem } from '../../../../shared/events/transcript-item'
import { undoRestore } from '../../../state/session/restore-state'
import { useSessionHeader } from '../../../state/session/session-view'
import { useClient } from '../../../state/page/queries'
import type { DMail } from '../../../../shared/model/session/checkpoint'
import { Markdown } from '../markdown/markdown-on-demand'
import { useOpenRows } from './open-rows'

/** A restore of the session, with an undo button. */
export const RestoredRow = memo(function RestoredRow({ sessionId, item }: { sessionId: string; item: RestoredItem }) {
  const client = useClient()
  const busy = useSessionHeader(sessionId)?.turnId !== undefined
  const { seq, files, conversation, dMail, paths } = item
  const back = (
    <button
      type="button"
      className="shrink-0 text-ink-2 underline underline-offset-2 disabled:text-ink-3 disabled:no-underline"
      disabled={busy}
      title={busy ? 'When the turn has ended' : undefined}
      onClick={() =>
        void undoRestore(client, sessionId, { seq, files: files > 0, conversation, ...(paths && { paths }) })
      }
    >
      Undo
    </button>
  )
  if (dMail) return <DMailCard id={`${sessionId}/${item.id}`} item={item} dMail={dMail} back={back} />
  return (
    <p className="notice">
      <History aria-hidden />
      <span className="min-w-0">{restoreText(item)}</span>
      {back}
    </p>
  )
})

function restoreText({ files, kept, conversation, part, paths: edited }: RestoredItem): string {
  if (part === 'edit')
    return `You edited ${edited?.map((path) => path.split(/[\\/]/).at(-1)).join(' and ') || 'a file'}.`
  if (part === 'hunk') return 'One change in a file was undone.'
  const paths = `${files} ${files === 1 ? 'file' : 'files'}`
  const what = conversation
    ? files > 0
      ? `Restored the conversation and ${paths} to this point.`
      : 'Restored the conversation to this point.'
    : `Restored ${paths}.`
  return kept > 0 ? `${what} ${kept === 1 ? 'One was' : `${kept} were`} not changed.` : what
}

/**
 * The agent restored its session with a message to itself (D-Mail): the message, what it removed from the conversation,
 * and an undo button.
 */
function DMailCard({ id, item, dMail, back }: { id: string; item: RestoredItem; dMail: DMail; back: ReactNode }) {
  const open = useOpenRows((state) => state.open.has(id))
  const { steps, message, calls } = dMail
  return (
    <section aria-label="D-Mail" className="d-mail">
      <p className="d-mail-head">
        <Send aria-hidden />
        <b>The agent went back {counted(steps, 'step')} with a note to itself</b>
        {back}
      </p>
      <div className="d-mail-text">
        <Markdown text={message} streaming={false} />
      </div>
      <button
        type="button"
        aria-expanded={open}
        className="d-mail-more"
        onClick={() => useOpenRows.getState().toggle(id)}
      >
        <ChevronRight aria-hidden />
        <span>
          {calls.length === 0
            ? 'No calls were removed from the conversation'
            : `${counted(calls.length, 'call')} removed from the conversation`}
        </span>
        <span>· {filesOf(item)}</span>
      </button>
      {open && (
        <ul className="d-mail-calls">
          {calls.map((call, index) => (
            <li key={index}>
              <code>{call}</code>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function filesOf({ files, kept }: RestoredItem): string {
  if (files === 0 && kept === 0) return 'files unchanged'
  const words = [
    `${counted(files, 'file')} restored`,
    ...(kept > 0 ? [`${kept} left as ${kept === 1 ? 'it is' : 'they are'}`] : []),
  ]
  return words.join(', ')
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
