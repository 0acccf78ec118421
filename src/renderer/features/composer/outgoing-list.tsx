import type { Attachment } from './pictures/pictures'

/** A message that was sent and has not arrived yet. */
export interface Outgoing {
  text: string
  attachments: readonly Attachment[]
}

/** Messages on their way, above the field: mostly too short a time to be seen, and all the longer when the program does not answer. */
export function OutgoingList({ messages }: { messages: readonly Outgoing[] }) {
  if (messages.length === 0) return null
  return (
    <ul className="outgoing" aria-label="Messages being sent">
      {messages.map((message, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- they leave in the order they came
        <li key={index}>
          <span className="outgoing-text">{wordsOf(message)}</span>
          <span className="outgoing-state">Sending…</span>
        </li>
      ))}
    </ul>
  )
}

function wordsOf({ text, attachments }: Outgoing): string {
  const files = attachments.length === 0 ? '' : attachments.length === 1 ? '1 attachment' : `${attachments.length} attachments`
  return [text.trim(), files].filter((part) => part !== '').join(' · ')
}
