import { ChevronRight, Send } from 'lucide-react'
import type { ReactNode } from 'react'
import type { DMail } from '../../../../shared/model/checkpoint'
import type { RestoredItem } from '../../../../shared/model/transcript-item'
import { Markdown } from '../markdown/markdown-on-demand'
import { useOpenRows } from './open-rows'

/** That the agent went back in its turn with a message to itself: the message, what left the conversation for it, and the way forth again. */
export function DMailCard({ id, item, dMail, back }: { id: string; item: RestoredItem; dMail: DMail; back: ReactNode }) {
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
      <button type="button" aria-expanded={open} className="d-mail-more" onClick={() => useOpenRows.getState().toggle(id)}>
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
  const words = [`${counted(files, 'file')} restored`, ...(kept > 0 ? [`${kept} left as ${kept === 1 ? 'it is' : 'they are'}`] : [])]
  return words.join(', ')
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
