import { ChevronRight, FoldVertical, Undo2 } from 'lucide-react'
import { memo } from 'react'
import type { CompactionItem } from '../../../../shared/events/transcript-item'
import { useSessionHeader } from '../../../state/session/session-view'
import { showFailureToast } from '../../../state/page/toasts-state'
import { formatTokens } from '../../../format/model-usage'
import { useClient } from '../../../state/page/queries'
import { Button } from '../../../ui/button'
import { Spinner } from '../../../ui/loading'
import { Markdown } from '../markdown/markdown-on-demand'
import { useOpenRows } from './open-rows'

const WHY = { window: 'context window almost full', overflow: 'request too long', manual: 'at your request' }

/** A compaction of the conversation: one line that expands to the summary and what was dropped, with an undo button. */
export const CompactionRow = memo(function CompactionRow({
  sessionId,
  item,
}: {
  sessionId: string
  item: CompactionItem
}) {
  const key = `${sessionId}/${item.id}`
  const open = useOpenRows((state) => state.open.has(key))
  const { state, result, retry } = item
  if (state === 'running') {
    return (
      <p className="notice" role="status">
        <Spinner />
        <span>
          Compacting the conversation…{retry && ` attempt ${retry.attempt} of ${retry.of}: ${retry.failure.title}`}
        </span>
      </p>
    )
  }
  if (state !== 'done' || !result) {
    return (
      <p className="notice">
        {state === 'undone' ? <Undo2 aria-hidden /> : <FoldVertical aria-hidden />}
        <span>{compactionText(item)}</span>
      </p>
    )
  }
  return (
    <section aria-label="Compaction" className="compaction">
      <button type="button" aria-expanded={open} onClick={() => useOpenRows.getState().toggle(key)}>
        <ChevronRight aria-hidden />
        <b>Conversation compacted</b>
        <span className="tabular-nums">
          about {formatTokens(result.before)} → {formatTokens(result.after)} tokens
          {item.reason && ` · ${WHY[item.reason]}`}
          {item.learnedWindow !== undefined && ` (the provider accepts only ${formatTokens(item.learnedWindow)})`}
        </span>
      </button>
      {open && <Summary sessionId={sessionId} item={item} />}
    </section>
  )
})

function Summary({
  sessionId,
  item: { result, instruction, compactionId },
}: {
  sessionId: string
  item: CompactionItem
}) {
  const client = useClient()
  const header = useSessionHeader(sessionId)
  if (!result) return null
  const { answers, results, messages } = result.dropped
  const inForce = header?.compacted?.compactionId === compactionId
  const busy = header?.turnId !== undefined || header?.compacting !== undefined
  return (
    <div className="compaction-summary">
      <p>
        The agent continues from this summary and your messages.
        {` Removed from context: ${counted(answers, 'answer')} and ${counted(results, 'result')}`}
        {messages > 0 &&
          `; ${counted(messages, 'message')} of yours ${messages === 1 ? 'was' : 'were'} shortened or left out`}
        . You can still read it here.
      </p>
      {instruction !== undefined && <p>You asked: {instruction}</p>}
      <div className="compaction-text">
        <Markdown text={result.summary} streaming={false} />
      </div>
      {result.files.length > 0 && (
        <p>
          Files to read again when needed: <code>{result.files.join(', ')}</code>
        </p>
      )}
      {inForce && (
        <Button
          size="small"
          icon={<Undo2 aria-hidden />}
          disabled={busy}
          title={busy ? 'When the turn has ended' : 'The agent sees the whole conversation again'}
          onClick={() => void client.session.undoCompaction({ sessionId, compactionId }).catch(showFailureToast)}
        >
          Undo compaction
        </Button>
      )}
    </div>
  )
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`
}

function compactionText({ state, failure }: CompactionItem): string {
  switch (state) {
    case 'undone':
      return 'The compaction was undone: the agent sees the whole conversation again.'
    case 'stopped':
      return 'Compaction stopped. The conversation is unchanged.'
    case 'interrupted':
      return 'Trestle was closed during the compaction. The conversation is unchanged.'
    default:
      return `The conversation couldn’t be compacted and is unchanged.${failure ? ` ${failure.message}` : ''}`
  }
}
