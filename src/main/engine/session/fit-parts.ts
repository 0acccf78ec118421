import { CodedError } from '../../../shared/model/errors'
import type { UserPart } from '../../../shared/model/message'

/**
 * What a person sends, made fit for models: images scaled down, PDFs with their text. Every way in passes here. Throws `request.invalid`, with the name of the file, for what no
 * model could be given: a provider would refuse it now, and again with every later request.
 */
export async function fitParts(parts: readonly UserPart[]): Promise<UserPart[]> {
  if (parts.every(({ type }) => type === 'text')) return [...parts]
  const { fitMedia, MediaProblem } = await import('../tool/media/fit-media')
  const fitted: UserPart[] = []
  // One after the other: each can take a good deal of memory.
  for (const part of parts) {
    if (part.type === 'text') {
      fitted.push(part)
      continue
    }
    try {
      fitted.push({ ...part, ...(await fitMedia(part)) })
    } catch (error) {
      if (!(error instanceof MediaProblem)) throw error
      throw new CodedError('request.invalid', `${part.name ?? 'The attachment'} cannot be sent. ${error.message}`, { cause: error })
    }
  }
  return fitted
}
