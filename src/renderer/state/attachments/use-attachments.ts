import { useCallback, useEffect, useState } from 'react'
import { errorText } from '../../../shared/error-text'
import { pageDrafts } from '../drafts/page-drafts'
import { useClient } from '../page/queries'
import { attachmentName, MAX_ATTACHMENTS, PDF_TYPE, PICTURE_TYPES, type Attachment } from './attachment'
import { browserFiles } from './browser-files'
import { DraftFiles, pruneFiles } from './draft-files'
import { base64, keepFiles, requireFits, type FileKeeper } from './kept-files'
import { readPicture } from './read-picture'

/** Larger PDFs must be mentioned with @, so that the agent reads only the pages it needs. */
const MAX_PDF_BYTES = 20_000_000

/** Reads a file, and scales images to the limits; throws an Error with a message for the user. */
async function readAttachment(file: File): Promise<Attachment> {
  if (PICTURE_TYPES.includes(file.type)) return readPicture(file)
  const [id, bytes] = [crypto.randomUUID(), file.size]
  if (file.type !== PDF_TYPE) {
    requireFits(file)
    return { id, bytes, part: { type: 'unkept', file } }
  }
  const name = file.name || 'document.pdf'
  if (file.size > MAX_PDF_BYTES)
    throw new Error(`${name} is larger than ${MAX_PDF_BYTES / 1_000_000} MB. Mention it with @ instead.`)
  return { id, bytes, part: { type: 'media', mediaType: PDF_TYPE, data: await base64(file), name } }
}

/**
 * The attachments of a draft, which outlive the page like its text. `sessionId`: the session to store files with;
 * without it, they are stored once a session exists. `problem`: why one could not be added.
 */
export function useAttachments(draftId: string, sessionId?: string) {
  const client = useClient()
  const [stored] = useState(() => new DraftFiles(draftId, pageDrafts, browserFiles))
  const [attachments, setAttachments] = useState<readonly Attachment[]>([])
  const [problem, setProblem] = useState<string>()
  const [reading, setReading] = useState(stored.isLoaded ? 0 : 1)

  useEffect(() => {
    let isGone = false
    const finish = (found: readonly Attachment[]): void => {
      if (isGone) return
      setAttachments((now) => [...found, ...now])
      setReading((n) => n - 1)
    }
    if (!stored.isLoaded)
      void stored.load().then(finish, () => {
        finish([])
        setProblem('The attached files of this message could not be read again.')
      })
    // Files that cannot be removed now are removed later.
    void pruneFiles(pageDrafts, browserFiles).catch(() => undefined)
    return () => {
      isGone = true
    }
  }, [stored])
  useEffect(() => stored.open(), [stored])
  useEffect(() => {
    stored.save(attachments, (lost) =>
      setProblem(
        `${attachmentName(lost)} will be lost when this page is closed or reloaded: the browser has no space for it.`,
      ),
    )
  }, [stored, attachments])

  const add = useCallback(
    async (files: readonly File[]) => {
      const keeper: FileKeeper | undefined = sessionId === undefined ? undefined : { client, sessionId }
      setProblem(undefined)
      setReading((n) => n + files.length)
      for (const file of files) {
        try {
          const read = await readAttachment(file)
          const { attachments: kept, failure } = keeper ? await keepFiles([read], keeper) : { attachments: [read] }
          setAttachments((before) => {
            if (before.length < MAX_ATTACHMENTS) return [...before, ...kept]
            setProblem(`A message can have at most ${MAX_ATTACHMENTS} attachments.`)
            return before
          })
          if (failure !== undefined) setProblem(`${errorText(failure)} It is retried when you send the message.`)
        } catch (error) {
          setProblem(errorText(error))
        } finally {
          setReading((n) => n - 1)
        }
      }
    },
    [client, sessionId],
  )
  const remove = useCallback((id: string) => {
    setProblem(undefined)
    setAttachments((before) => before.filter((attachment) => attachment.id !== id))
  }, [])
  /** Empties the draft. Its files are kept until the returned function is called with whether the message arrived. */
  const takeAll = useCallback((): ((arrived: boolean) => void) => {
    const release = stored.trackOutgoing(attachments)
    // Saved immediately instead of by the effect: the composer may be unmounted next.
    stored.save([], () => undefined)
    setAttachments([])
    return release
  }, [stored, attachments])
  return { attachments, setAttachments, problem, setProblem, reading: reading > 0, add, remove, takeAll }
}
