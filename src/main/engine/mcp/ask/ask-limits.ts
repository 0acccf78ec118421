import type { CallInFlight, ServedConnection } from '../connection-hooks'

/** So often one call may have a person asked. */
const MOST_IN_CALL = 20
/** So many requests of one server wait at once. */
const MOST_WAITING = 5

/** Keeps a server from asking without end. */
export class AskLimits {
  readonly #asked = new WeakMap<CallInFlight['ctx'], number>()
  readonly #waiting = new WeakMap<ServedConnection, number>()

  /** Runs `ask`, or says, as a sentence, why it is not asked. */
  async within<Answer>(
    connection: ServedConnection,
    { ctx, hold }: CallInFlight,
    ask: () => Promise<Answer>,
  ): Promise<{ answer: Answer } | { refused: string }> {
    const asked = (this.#asked.get(ctx) ?? 0) + 1
    const waiting = (this.#waiting.get(connection) ?? 0) + 1
    if (asked > MOST_IN_CALL) return { refused: `It has asked ${MOST_IN_CALL} times in one call.` }
    if (waiting > MOST_WAITING) return { refused: `${MOST_WAITING} of its requests wait already.` }
    this.#asked.set(ctx, asked)
    this.#waiting.set(connection, waiting)
    const release = hold()
    try {
      return { answer: await ask() }
    } finally {
      release()
      this.#waiting.set(connection, (this.#waiting.get(connection) ?? 1) - 1)
    }
  }
}

/** The call a request of the server most likely belongs to: the one that began last. stdio does not tell. */
export function callOf(connection: ServedConnection): CallInFlight | undefined {
  return connection.calls().at(-1)
}
