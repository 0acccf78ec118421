import type { Effort } from '../../../shared/model/effort'
import { CodedError } from '../../../shared/errors'
import type { EventBody } from '../../../shared/events/event'
import type { UserPart } from '../../../shared/model/message'
import type { QueuedPrompt, SessionHeader } from '../../../shared/model/session'

export interface PromptQueueDeps {
  header(): SessionHeader
  record(event: EventBody): void
  newId(prefix: string): string
}

/** The prompts of a session that wait for its turn to end, or are to join it before. All of it is in the header. */
export class PromptQueue {
  readonly #deps: PromptQueueDeps

  constructor(deps: PromptQueueDeps) {
    this.#deps = deps
  }

  get isSteering(): boolean {
    return this.#joining().length > 0
  }

  add(parts: UserPart[], effort?: Effort): string {
    const promptId = this.#deps.newId('prompt')
    this.#deps.record({ type: 'prompt.queued', promptId, parts, ...(effort !== undefined && { effort }) })
    return promptId
  }

  get(promptId: string): QueuedPrompt {
    const prompt = this.#deps.header().queue.find((candidate) => candidate.promptId === promptId)
    if (!prompt) throw new CodedError('request.invalid', 'promptId: this prompt is not in the queue any more.')
    return prompt
  }

  edit(promptId: string, parts: UserPart[]): void {
    this.get(promptId)
    this.#deps.record({ type: 'prompt.edited', promptId, parts })
  }

  remove(promptId: string): void {
    this.get(promptId)
    this.#deps.record({ type: 'prompt.removed', promptId })
  }

  steer(promptId: string): void {
    if (!this.get(promptId).joins) this.#deps.record({ type: 'prompt.joins', promptId })
  }

  /** Those that join now: whoever takes them records it, with which they leave the queue. */
  takeSteering(): QueuedPrompt[] {
    return this.#joining()
  }

  #joining(): QueuedPrompt[] {
    return this.#deps.header().queue.filter(({ joins }) => joins)
  }
}

/**
 * What a person sends, made fit for models: images scaled down, PDFs with their text. Every way in passes here. Throws `request.invalid`, with the name of the file, for what no
 * model could be given: a provider would refuse it now, and again with every later request.
 */
export async function prepareUserParts(parts: readonly UserPart[]): Promise<UserPart[]> {
  if (parts.every(({ type }) => type === 'text')) return [...parts]
  const { fitMedia, MediaProblem } = await import('../model/media/fit-media')
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
      throw new CodedError('request.invalid', `${part.name ?? 'The attachment'} cannot be sent. ${error.message}`, {
        cause: error,
      })
    }
  }
  return fitted
}
