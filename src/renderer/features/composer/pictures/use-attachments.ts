import { useCallback, useState } from 'react'
import { MOST_ATTACHMENTS, readAttachment, type Attachment } from './pictures'

/** The pictures and PDFs of a message being written. `problem` says why one could not be added. */
export function useAttachments() {
  const [attachments, setAttachments] = useState<readonly Attachment[]>([])
  const [problem, setProblem] = useState<string>()
  const [reading, setReading] = useState(0)

  const add = useCallback(async (files: readonly File[]) => {
    setProblem(undefined)
    setReading((n) => n + files.length)
    for (const file of files) {
      try {
        const attachment = await readAttachment(file)
        setAttachments((before) => {
          if (before.length < MOST_ATTACHMENTS) return [...before, attachment]
          setProblem(`A message takes at most ${MOST_ATTACHMENTS} attachments.`)
          return before
        })
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error))
      } finally {
        setReading((n) => n - 1)
      }
    }
  }, [])
  const remove = useCallback((id: string) => {
    setProblem(undefined)
    setAttachments((before) => before.filter((attachment) => attachment.id !== id))
  }, [])
  return { attachments, setAttachments, problem, setProblem, reading: reading > 0, add, remove }
}
