import type { Effort } from '../../../shared/model/effort'
import { CodedError } from '../../../shared/model/errors'
import type { EventBody } from '../../../shared/model/event'
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
