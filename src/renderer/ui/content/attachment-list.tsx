import './attachment-list.css'
import { FileText, Paperclip, X } from 'lucide-react'
import { useRef } from 'react'
import { attachmentName, isImage, type Attachment } from '../../state/attachments/attachment'
import { IconButton } from '../button'

/** Attached files, each with a remove button. */
export function AttachmentList({
  attachments,
  onRemove,
}: {
  attachments: readonly Attachment[]
  onRemove: (id: string) => void
}) {
  if (attachments.length === 0) return null
  return (
    <ul className="attachments" aria-label="Attachments">
      {attachments.map((attachment) => (
        <AttachmentItem key={attachment.id} attachment={attachment} onRemove={() => onRemove(attachment.id)} />
      ))}
    </ul>
  )
}

function AttachmentItem({ attachment, onRemove }: { attachment: Attachment; onRemove: () => void }) {
  const { part } = attachment
  const name = attachmentName(attachment)
  return (
    <li>
      {part.type === 'media' && isImage(part) ? (
        <img src={`data:${part.mediaType};base64,${part.data}`} alt={part.name ?? 'picture'} title={part.name} />
      ) : (
        <span className="attachment-file" title={name}>
          <FileText aria-hidden />
          <span>{name}</span>
        </span>
      )}
      <button type="button" aria-label={`Remove ${name}`} onClick={onRemove}>
        <X aria-hidden />
      </button>
    </li>
  )
}

/** The button that chooses files to attach. */
export function AttachFiles({ onFiles }: { onFiles: (files: File[]) => void }) {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton label="Attach files" tooltipSide="top" onClick={() => picker.current?.click()}>
        <Paperclip aria-hidden />
      </IconButton>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Attachments"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
    </>
  )
}
