/** Why a turn's signal aborts: somebody, or something, ends the turn. The message says who or what, as a sentence. */
export class TurnStopped extends Error {
  constructor(why = 'The turn was stopped.') {
    super(why)
  }
}

/** Why a turn's signal aborts: this process ends, the turn does not. What waits for a person stays open and goes on in a later process. */
export class TurnSuspended extends Error {}

export function isSuspended(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof TurnSuspended
}

/** Why the turn was stopped, as a sentence. */
export function stopWords(signal: AbortSignal): string {
  return signal.reason instanceof TurnStopped ? signal.reason.message : new TurnStopped().message
}
