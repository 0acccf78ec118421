import type { RecordedEvent, SessionEvent } from '../../../../shared/model/event'

type TurnFinished = RecordedEvent & { type: 'turn.finished' }
/** How a prompt ended: with its turn, or `removed` before it had one. */
export type PromptEnd = TurnFinished | 'removed'

interface Waiting {
  /** Set when it waits in the queue. */
  promptId?: string
  turnId?: string
  isCancelled: boolean
  resolve(end: PromptEnd): void
}

/** A prompt of the client's on its way. */
export interface PromptWatch {
  readonly end: Promise<PromptEnd>
  /** It has been queued behind a turn that runs. */
  queued(promptId: string): void
  /** Whether it was given up before it began. */
  isCancelled(): boolean
  /** Nobody waits for it any more: it is over, or came to nothing. */
  drop(): void
}

/** Which of the client's prompts has become which turn, and when that has ended. */
export class PromptEnds {
  readonly #waiting = new Set<Waiting>()
  /** Turns of queued prompts that began before anybody said that they wait for them. */
  readonly #started = new Map<string, string>()
  readonly #onLateCancel: () => void

  /** `onLateCancel`: a turn has begun whose prompt was given up before. */
  constructor(onLateCancel: () => void) {
    this.#onLateCancel = onLateCancel
  }

  watch(): PromptWatch {
    const { promise, resolve } = Promise.withResolvers<PromptEnd>()
    const waiting: Waiting = { isCancelled: false, resolve }
    this.#waiting.add(waiting)
    return {
      end: promise,
      isCancelled: () => waiting.isCancelled,
      queued: (promptId) => {
        waiting.promptId = promptId
        const turnId = this.#started.get(promptId)
        if (turnId !== undefined) waiting.turnId = turnId
      },
      drop: () => void this.#waiting.delete(waiting),
    }
  }

  /** Gives up whatever has not begun; returns what of it is queued. */
  cancel(): string[] {
    const left = [...this.#waiting].filter(({ turnId }) => turnId === undefined)
    for (const waiting of left) waiting.isCancelled = true
    return left.flatMap(({ promptId }) => promptId ?? [])
  }

  event(event: SessionEvent): void {
    switch (event.type) {
      case 'turn.started':
        if (!event.news) this.#begun(event.turnId, event.promptId)
        return
      case 'turn.steered':
        if (event.promptId !== undefined) this.#begun(event.turnId, event.promptId)
        return
      case 'prompt.removed':
        for (const waiting of this.#waiting) if (waiting.promptId === event.promptId) waiting.resolve('removed')
        return
      case 'turn.finished':
        for (const waiting of this.#waiting) if (waiting.turnId === event.turnId) waiting.resolve(event)
        this.#started.clear()
        return
      default:
    }
  }

  #begun(turnId: string, promptId: string | undefined): void {
    if (promptId !== undefined) this.#started.set(promptId, turnId)
    const waiting = [...this.#waiting].find((one) => one.turnId === undefined && one.promptId === promptId)
    if (!waiting) return
    waiting.turnId = turnId
    if (waiting.isCancelled) this.#onLateCancel()
  }
}
