import './rows.css'
import { memo, useCallback } from 'react'
import type { UserPart } from '../../../../shared/model/turn/message'
import type { TranscriptItem, TurnFigures } from '../../../../shared/events/transcript-item'
import { ToolRow } from '../tools/tool-row'
import { Answer, isSilent } from './answer'
import { CompactionRow } from './compaction-row'
import { EndNotice, NoticeRow, TaskNotificationRow } from './notice-rows'
import { useOpenRows } from './open-rows'
import { RestoredRow } from './restored-row'
import { UserMessage } from './user-message'

interface RowProps {
  sessionId: string
  item: TranscriptItem
  hidden: boolean
  /** It is a search result. */
  marked: boolean
  /** Its spacing to the row above: separate, or the next call of a group. */
  gap: 'none' | 'apart' | 'grouped'
  /** Only for the end of a turn. */
  latest: boolean
  prompt: UserPart[] | undefined
  /** Of the turn that it ends. */
  figures: TurnFigures | undefined
  onPrompt: (parts: UserPart[]) => void
}

/** One row of the transcript. Re-renders only when its item changes. */
export const Row = memo(function Row({
  sessionId,
  item,
  hidden,
  marked,
  gap,
  latest,
  prompt,
  figures,
  onPrompt,
}: RowProps) {
  if (hidden) return null
  return (
    <div className="row" data-gap={gap} data-kind={item.kind} data-item={item.id} data-marked={marked || undefined}>
      {item.kind === 'user' ? (
        <UserMessage sessionId={sessionId} item={item} />
      ) : item.kind === 'answer' ? (
        <Answer sessionId={sessionId} item={item} figures={figures} />
      ) : item.kind === 'tool' ? (
        <OpenableTool sessionId={sessionId} item={item} />
      ) : item.kind === 'news' ? (
        <TaskNotificationRow item={item} />
      ) : item.kind === 'compaction' ? (
        <CompactionRow sessionId={sessionId} item={item} />
      ) : item.kind === 'restored' ? (
        <RestoredRow sessionId={sessionId} item={item} />
      ) : item.kind === 'notice' ? (
        <NoticeRow text={item.text} toPerson={item.toPerson} />
      ) : (
        <EndNotice item={item} latest={latest} prompt={prompt} onPrompt={onPrompt} />
      )}
    </div>
  )
})

function OpenableTool({ sessionId, item }: { sessionId: string; item: Extract<TranscriptItem, { kind: 'tool' }> }) {
  const open = useOpenRows((state) => state.open.has(`${sessionId}/${item.id}`))
  const toggle = useCallback((id: string) => useOpenRows.getState().toggle(`${sessionId}/${id}`), [sessionId])
  return <ToolRow item={item} open={open} onToggle={toggle} />
}

/** Whether an item has no row: an empty answer. */
export function isHidden(item: TranscriptItem): boolean {
  return item.kind === 'answer' && isSilent(item)
}

/** The nearest visible row above decides the gap. */
export function gapAbove(items: readonly TranscriptItem[], index: number): RowProps['gap'] {
  const item = items[index]
  for (let n = index - 1; n >= 0; n -= 1) {
    const above = items[n]
    if (!above || isHidden(above)) continue
    return above.kind === 'tool' && item?.kind === 'tool' ? 'grouped' : 'apart'
  }
  return 'none'
}

/** The prompt of the turn that an end notice belongs to. */
export function promptOf(items: readonly TranscriptItem[], index: number): UserPart[] | undefined {
  for (let n = index - 1; n >= 0; n -= 1) {
    const item = items[n]
    if (item?.kind === 'user' && !item.steered) return item.parts
    if (item?.kind === 'news' && !item.steered) return undefined
  }
  return undefined
}
