import {
  withoutDerivedMedia,
  type MediaPart,
  type TextPart,
  type UserFile,
  type UserPart,
} from '../../../shared/model/turn/message'

/** A file stored with a session, as described to the agent. */
export type FilePart = TextPart & { file: UserFile }

/** A file that is not stored with a session yet: no session exists, or storing failed. */
export interface UnkeptFile {
  type: 'unkept'
  file: File
}

/** A file to be sent with a message. */
export interface Attachment {
  id: string
  /** Images and PDFs are sent themselves; for other files, the agent gets the text or the path. */
  part: MediaPart | FilePart | UnkeptFile
  bytes: number
}

export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
export const PDF_TYPE = 'application/pdf'
export const MAX_ATTACHMENTS = 10

/** The attachments of an earlier message as originally given: derived data is computed again. */
export function attachmentsOf(parts: readonly UserPart[]): Attachment[] {
  return parts.flatMap((part): Attachment[] => {
    const id = crypto.randomUUID()
    if (part.type === 'media' && !part.attached)
      return [{ id, part: withoutDerivedMedia(part), bytes: Math.round((part.data.length * 3) / 4) }]
    if (part.type === 'text' && part.file)
      return [{ id, part: { type: 'text', text: part.text, file: part.file }, bytes: part.file.size }]
    return []
  })
}

/** The parts of a message: images and PDFs, the typed text, other files. Files that are not stored are omitted. */
export function messageOf(typed: string, attachments: readonly Attachment[]): UserPart[] {
  const text = typed.trim()
  return [
    ...attachments.flatMap(({ part }) => (part.type === 'media' ? [part] : [])),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...attachments.flatMap(({ part }) => (part.type === 'text' ? [part] : [])),
  ]
}

/** Whether the model must support images to receive it. */
export function isImage(part: Attachment['part']): boolean {
  return part.type === 'media' && part.mediaType !== PDF_TYPE
}

export function isUnkept(attachment: Attachment): attachment is Attachment & { part: UnkeptFile } {
  return attachment.part.type === 'unkept'
}

export function attachmentName({ part }: Attachment): string {
  if (part.type === 'media') return part.name ?? 'attachment'
  return part.file.name || 'file'
}
