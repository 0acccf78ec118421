/** Changes to sessions that take a moment, because an agent's file is read or folders are resolved. */
export class PendingChanges<Session extends object> {
  readonly #latest = new WeakMap<Session, Promise<unknown>>()

  /** Makes a change after the session's earlier ones. */
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
   * The latest change, which a prompt must wait for: it was written for the chosen agent and must not be sent if that
   * agent cannot be used. Rejects with the reason. Undefined if no change is pending.
   */
  of(session: Session): Promise<unknown> | undefined {
    return this.#latest.get(session)
  }
}
