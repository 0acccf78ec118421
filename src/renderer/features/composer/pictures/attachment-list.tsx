import { FileText, X } from 'lucide-react'
import { PDF_TYPE, type Attachment } from './pictures'

/** Pictures and PDFs that will be sent, each with a button to take it out again. */
export function AttachmentList({ attachments, onRemove }: { attachments: readonly Attachment[]; onRemove: (id: string) => void }) {
  if (attachments.length === 0) return null
  return (
    <ul className="attachments" aria-label="Attachments">
      {attachments.map(({ id, part }) => (
        <li key={id}>
          {part.mediaType === PDF_TYPE ? (
            <span className="attachment-file" title={part.name}>
              <FileText aria-hidden />
              <span>{part.name ?? 'PDF'}</span>
            </span>
          ) : (
            <img src={`data:${part.mediaType};base64,${part.data}`} alt={part.name ?? 'picture'} title={part.name} />
          )}
          <button type="button" aria-label={`Remove ${part.name ?? 'attachment'}`} onClick={() => onRemove(id)}>
            <X aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}
