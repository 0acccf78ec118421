import type { CallInFlight, ServedConnection } from '../protocol/connection'

/** So often one call may have a person asked. */
const MAX_PER_CALL = 20
/** So many requests of one server wait at once. */
const MAX_PENDING = 5

/** Keeps a server from asking without end. */
export class AskLimits {
  readonly #asked = new WeakMap<CallInFlight['ctx'], number>()
  readonly #waiting = new WeakMap<ServedConnection, number>()

  /** Runs `ask`, or says, as a sentence, why it is not asked. */
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

/** The call a request of the server most likely belongs to: the one that began last. stdio does not tell. */
export function latestCall(connection: ServedConnection): CallInFlight | undefined {
  return connection.calls().at(-1)
}
