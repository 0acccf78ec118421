/** Changes of sessions that take a moment, because an agent is read from a file or folders are looked up. */
export class PendingChanges<Session extends object> {
  readonly #latest = new WeakMap<Session, Promise<unknown>>()

  /** Makes a change after those of the session that were asked for before. */
  add<Result>(session: Session, change: () => Promise<Result>): Promise<Result> {
    const before = this.#latest.get(session)
    const done = before ? before.then(change, change) : change()
    this.#latest.set(session, done)
    const end = (): void => {
      if (this.#latest.get(session) === done) this.#latest.delete(session)
    }
    done.then(end, end)
    return done
  }

  /**
   * What a prompt has to wait for: it was written for the agent that had been chosen, and must not be sent if that one
   * cannot be used. Rejects with why. Undefined when there is nothing to wait for.
   */
  of(session: Session): Promise<unknown> | undefined {
    return this.#latest.get(session)
  }
}
