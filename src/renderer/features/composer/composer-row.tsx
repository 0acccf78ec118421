import { ArrowUp, Square } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Attachment } from '../../state/attachments/attachment'
import { Button } from '../../ui/button'
import { AttachFiles } from '../../ui/content/attachment-list'

interface ComposerRowProps {
  busy: boolean
  /** The next Escape stops. */
  stopsNext: boolean
  canSend: boolean
  /** What the keys do, or why nothing can be sent; referenced by `hintId`. */
  hint: ReactNode
  hintId: string
  /** The session's switches. */
  controls?: ReactNode
  onFiles: (files: File[]) => void
  onSend: () => void
  onStop: () => void
}

/** Below the field: attachments, a hint, and the button that sends or stops. */
export function ComposerRow({
  busy,
  stopsNext,
  canSend,
  hint,
  hintId,
  controls,
  onFiles,
  onSend,
  onStop,
}: ComposerRowProps) {
  return (
    <div className="composer-row">
      <AttachFiles onFiles={onFiles} />
      {controls}
      <div className="composer-end">
        <span id={hintId} className="composer-hint" role="status">
          {hint}
        </span>
        {busy ? (
          <Button
            {...(stopsNext && { kbd: 'Esc' })}
            icon={<Square aria-hidden className="fill-current !size-[10px]" />}
            onClick={onStop}
          >
            Stop
          </Button>
        ) : (
          <Button
            variant="primary"
            disabled={!canSend}
            aria-label="Send"
            title="Send"
            className="!px-2"
            icon={<ArrowUp aria-hidden />}
            onClick={onSend}
          />
        )}
      </div>
    </div>
  )
}

/** What the keys do; where space is short, only the key that sends. */
export function KeysHint({ main, more }: { main: string | undefined; more: string | undefined }): ReactNode {
  return (
    <>
      {main}
      <span className="composer-more-keys" data-long={(more?.length ?? 0) > 30 || undefined}>
        {' '}
        · {more}
      </span>
    </>
  )
}

/** A message that was sent and has not arrived yet. */
export interface Outgoing {
  text: string
  attachments: readonly Attachment[]
}

/**
 * Messages in flight, above the field: usually too briefly to be seen, but visible when the program does not respond.
 */
export function OutgoingList({ messages }: { messages: readonly Outgoing[] }) {
  if (messages.length === 0) return null
  return (
    <ul className="outgoing" aria-label="Messages being sent">
      {messages.map((message, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- they leave in the order they came
        <li key={index}>
          <span className="outgoing-text">{outgoingText(message)}</span>
          <span className="outgoing-state">Sending…</span>
        </li>
      ))}
    </ul>
  )
}

function outgoingText({ text, attachments }: Outgoing): string {
  const files =
    attachments.length === 0 ? '' : attachments.length === 1 ? '1 attachment' : `${attachments.length} attachments`
  return [text.trim(), files].filter((part) => part !== '').join(' · ')
}
