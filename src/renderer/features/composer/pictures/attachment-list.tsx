import { X } from 'lucide-react'
import type { Attachment } from './pictures'

/** Pictures that will be sent, each with a button to take it out again. */
export function AttachmentList({ attachments, onRemove }: { attachments: readonly Attachment[]; onRemove: (id: string) => void }) {
  if (attachments.length === 0) return null
  return (
    <ul className="attachments" aria-label="Pictures">
      {attachments.map(({ id, part }) => (
        <li key={id}>
          <img src={`data:${part.mediaType};base64,${part.data}`} alt={part.name ?? 'picture'} title={part.name} />
          <button type="button" aria-label={`Remove ${part.name ?? 'picture'}`} onClick={() => onRemove(id)}>
            <X aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}
