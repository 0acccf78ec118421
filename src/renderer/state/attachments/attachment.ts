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
  /** Images and PDFs are sent themselves; of other files the agent gets the text, or where they are. */
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

/** A message: images and PDFs, what was typed, then the other files. Files that are not stored are left out. */
export function messageOf(typed: string, attachments: readonly Attachment[]): UserPart[] {
  const text = typed.trim()
  return [
    ...attachments.flatMap(({ part }) => (part.type === 'media' ? [part] : [])),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...attachments.flatMap(({ part }) => (part.type === 'text' ? [part] : [])),
  ]
}

/** Whether a model must see images to take it. */
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
