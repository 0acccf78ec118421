import type { HostCommand } from '../../../shared/model/push'

/** More than this while a page is not there to hear them are not meant. */
const MOST_WAITING = 5

/** Commands for the page of one window. A window that has only just been opened gets them when its page listens. */
export class CommandQueue {
  readonly #listeners = new Set<(command: HostCommand) => void>()
  #waiting: HostCommand[] = []

  send(command: HostCommand): void {
    // What has changed is asked for by a page that begins anyway.
    if (this.#listeners.size === 0 && command !== 'desktop-changed') this.#waiting = [...this.#waiting, command].slice(-MOST_WAITING)
    for (const listener of this.#listeners) listener(command)
  }

  /** Returns how to stop listening. */
  listen(listener: (command: HostCommand) => void): () => void {
    this.#listeners.add(listener)
    for (const command of this.#waiting.splice(0)) listener(command)
    return () => this.#listeners.delete(listener)
  }
}
