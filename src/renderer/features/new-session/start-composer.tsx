import { ArrowUp } from 'lucide-react'
import type { KeyboardEvent, ReactNode, Ref } from 'react'
import type { Attachment } from '../../state/attachments/attachment'
import type { FileDrop } from '../../state/attachments/file-drop'
import { Button } from '../../ui/button'
import { AttachFiles, AttachmentList } from '../../ui/content/attachment-list'
import { cx } from '../../ui/cx'

interface StartComposerProps {
  /** Id of the heading that names the field. */
  labelledBy: string
  text: string
  onText: (text: string) => void
  attachments: readonly Attachment[]
  onRemove: (attachmentId: string) => void
  drop: FileDrop
  /** Why something could not be attached, or nothing can be sent. */
  problem: ReactNode
  /** Folder, model, mode and so on. */
  pills: ReactNode
  /** Label of the button. */
  action: string
  canStart: boolean
  busy: boolean
  onStart: () => void
  ref?: Ref<HTMLTextAreaElement>
}

/** The composer that starts a session: type and press Enter. */
export function StartComposer({
  labelledBy,
  text,
  onText,
  attachments,
  onRemove,
  drop,
  problem,
  pills,
  action,
  canStart,
  busy,
  onStart,
  ref,
}: StartComposerProps) {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if ((text.trim() !== '' || attachments.length > 0) && canStart && !busy) onStart()
  }
  return (
    <div
      className={cx(
        'rounded-[11px] border border-line-strong bg-raised',
        'px-3 pt-2.5 pb-2 shadow-card focus-within:border-ink-3',
        drop.dragging && 'border-accent',
      )}
      onDragOver={drop.onDragOver}
      onDragLeave={drop.onDragLeave}
      onDrop={drop.onDrop}
    >
      <AttachmentList attachments={attachments} onRemove={onRemove} />
      <textarea
        ref={ref}
        autoFocus
        rows={3}
        value={text}
        // What is typed now would not be part of the message.
        readOnly={busy}
        aria-labelledby={labelledBy}
        placeholder="Describe a task, or paste an error…"
        dir="auto"
        className={cx(
          'block max-h-[38vh] min-h-[66px] w-full resize-none border-0',
          'bg-transparent text-body outline-none [field-sizing:content]',
        )}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={drop.onPaste}
      />
      {problem !== undefined && (
        <p role="alert" className="my-1 text-small text-fail-ink">
          {problem}
        </p>
      )}
      <div className="mt-1.5 flex flex-wrap items-center gap-1.5">
        <AttachFiles onFiles={drop.addFiles} />
        {pills}
        <span className="flex-1" />
        <Button variant="primary" icon={<ArrowUp aria-hidden />} disabled={!canStart} busy={busy} onClick={onStart}>
          {action}
        </Button>
      </div>
    </div>
  )
}
