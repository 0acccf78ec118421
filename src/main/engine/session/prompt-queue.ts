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

/**
 * The queued prompts of a session: they start the next turn, or join the running one (steering). The header holds them
 * all.
 */
export class PromptQueue {
  readonly #deps: PromptQueueDeps

  constructor(deps: PromptQueueDeps) {
    this.#deps = deps
  }

  /** Whether a queued prompt is to join the running turn. */
  get isSteering(): boolean {
    return this.takeSteering().length > 0
  }

  add(parts: UserPart[], effort?: Effort): string {
    const promptId = this.#deps.newId('prompt')
    this.#deps.record({ type: 'prompt.queued', promptId, parts, ...(effort !== undefined && { effort }) })
    return promptId
  }

  get(promptId: string): QueuedPrompt {
    const prompt = this.#deps.header().queue.find((candidate) => candidate.promptId === promptId)
    if (!prompt) throw new CodedError('request.invalid', 'promptId: this prompt is no longer in the queue.')
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

  /** Moves a prompt to a place in the queue, counted from 0. */
  move(promptId: string, to: number): void {
    this.get(promptId)
    const { queue } = this.#deps.header()
    const place = Math.min(to, queue.length - 1)
    if (queue[place]?.promptId !== promptId) this.#deps.record({ type: 'prompt.moved', promptId, to: place })
  }

  steer(promptId: string): void {
    if (!this.get(promptId).joins) this.#deps.record({ type: 'prompt.joins', promptId })
  }

  /** The prompts that join the running turn. They leave the queue when the caller records them as part of it. */
  takeSteering(): QueuedPrompt[] {
    return this.#deps.header().queue.filter(({ joins }) => joins)
  }
}

/**
 * Prepares the user's message for models: scales images down and extracts the text of PDFs. Every message passes
 * through here. Throws `request.invalid`, naming the file, for an attachment that no model can take: a provider would
 * refuse it now and in every later request.
 */
export async function prepareUserParts(parts: readonly UserPart[]): Promise<UserPart[]> {
  if (parts.every(({ type }) => type === 'text')) return [...parts]
  const { fitMedia, MediaProblem } = await import('../model/media/fit-media')
  const fitted: UserPart[] = []
  // One at a time: each can take a lot of memory.
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
