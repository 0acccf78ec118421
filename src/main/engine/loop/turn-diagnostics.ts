import type { FileChange } from '../../../shared/model/checkpoint'
import type { Access } from '../tool/tool'

/** A call that has run, as far as language servers are concerned. */
export interface DiagnosedCall {
  accesses: readonly Access[]
  /** What it has changed; undefined where that was not looked at. */
  changes?: readonly FileChange[]
  failed: boolean
}

/** What language servers say about the files that a turn changes; a turn without any has none of this. Nothing here ever rejects. */
export interface TurnDiagnostics {
  /** A call has run. Quick: servers look at its files in the background. */
  ran(call: DiagnosedCall): void
  /** After a step: errors in the files changed, as a message for the model; undefined when there are none. Waits 2 s at most, and not at all when no server looks. */
  report(signal: AbortSignal): Promise<string | undefined>
}
