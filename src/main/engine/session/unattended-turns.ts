import type { SessionHeader } from '../../../shared/model/session'

/** How a turn runs whose user is not asked: what needs approval is denied. */
export interface UnattendedTurn {
  /** Overrides `[loop] max_steps` downwards. */
  maxSteps?: number
}

/** The running turns of this process whose user is not asked, as in print mode. It applies to their subagents too. */
export class UnattendedTurns {
  readonly #turns = new Map<string, UnattendedTurn>()

  of({ sessionId, agent }: Pick<SessionHeader, 'sessionId' | 'agent'>): UnattendedTurn | undefined {
    return this.#turns.get(agent?.rootId ?? sessionId)
  }

  begin(sessionId: string, turn: UnattendedTurn): void {
    this.#turns.set(sessionId, turn)
  }

  end(sessionId: string): void {
    this.#turns.delete(sessionId)
  }
}
