import type { CallInFlight, ServedConnection } from '../protocol/connection'

/** Maximum number of questions to the user during one call. */
const MAX_PER_CALL = 20
/** Maximum number of pending requests of one server. */
const MAX_PENDING = 5

/** Limits how often a server can ask, and reports requests that cannot be shown. */
export class AskLimits {
  readonly #onUnshown: (server: string, what: string) => void
  readonly #asked = new WeakMap<CallInFlight['ctx'], number>()
  readonly #waiting = new WeakMap<ServedConnection, number>()

  constructor(onUnshown: (server: string, what: string) => void) {
    this.#onUnshown = onUnshown
  }

  /** Reports that a server asked for something that cannot be shown; `what`: the end of a sentence. */
  reportUnshown({ name }: ServedConnection, what: string): void {
    this.#onUnshown(name, what)
  }

  /** Runs `ask`, or returns why the question is refused, as a sentence. */
  async run<Answer>(
    connection: ServedConnection,
    { ctx, pauseTimeout }: CallInFlight,
    ask: () => Promise<Answer>,
  ): Promise<{ answer: Answer } | { refused: string }> {
    const asked = (this.#asked.get(ctx) ?? 0) + 1
    const waiting = (this.#waiting.get(connection) ?? 0) + 1
    if (asked > MAX_PER_CALL) return { refused: `It has asked ${MAX_PER_CALL} times in one call.` }
    if (waiting > MAX_PENDING) return { refused: `${MAX_PENDING} of its requests wait already.` }
    this.#asked.set(ctx, asked)
    this.#waiting.set(connection, waiting)
    const release = pauseTimeout()
    try {
      return { answer: await ask() }
    } finally {
      release()
      this.#waiting.set(connection, (this.#waiting.get(connection) ?? 1) - 1)
    }
  }
}

/** The call a server's request most likely belongs to: the one that started last. stdio does not specify it. */
export function latestCall(connection: ServedConnection): CallInFlight | undefined {
  return connection.calls().at(-1)
}
