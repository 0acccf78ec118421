import { History } from 'lucide-react'
import { memo } from 'react'
import type { RestoredItem } from '../../../../shared/model/transcript-item'
import { takeBack } from '../../../state/restore-state'
import { useClient } from '../../../state/trestle-context'

/** Where the session went back, and the way forth again. */
export const RestoredRow = memo(function RestoredRow({ sessionId, item }: { sessionId: string; item: RestoredItem }) {
  const client = useClient()
  const { seq, files, conversation } = item
  return (
    <p className="notice">
      <History aria-hidden />
      <span className="min-w-0">{wordsOf(item)}</span>
      <button
        type="button"
        className="shrink-0 text-ink-2 underline underline-offset-2"
        onClick={() => void takeBack(client, sessionId, { seq, files: files > 0, conversation })}
      >
        Take it back
      </button>
    </p>
  )
})

function wordsOf({ files, kept, conversation, part }: RestoredItem): string {
  if (part === 'hunk') return 'One change in a file was undone.'
  const paths = `${files} ${files === 1 ? 'file' : 'files'}`
  const what = conversation
    ? files > 0
      ? `The conversation and ${paths} went back to here.`
      : 'The conversation went back to here.'
    : `${paths} went back.`
  return kept > 0 ? `${what} ${kept === 1 ? 'One was' : `${kept} were`} left as ${kept === 1 ? 'it is' : 'they are'}.` : what
}
