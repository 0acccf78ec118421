import { FileText, X } from 'lucide-react'
import { isImage, type Attachment } from './attachments'

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
      {attachments.map(({ id, part }) => (
        <li key={id}>
          {part.type === 'media' && isImage(part) ? (
            <img src={`data:${part.mediaType};base64,${part.data}`} alt={part.name ?? 'picture'} title={part.name} />
          ) : (
            <span className="attachment-file" title={nameOf(part)}>
              <FileText aria-hidden />
              <span>{nameOf(part)}</span>
            </span>
          )}
          <button type="button" aria-label={`Remove ${nameOf(part)}`} onClick={() => onRemove(id)}>
            <X aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}

function nameOf(part: Attachment['part']): string {
  return part.type === 'text' ? part.file.name : (part.name ?? 'attachment')
}
