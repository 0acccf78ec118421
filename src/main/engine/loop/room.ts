import type { Failure } from '../../../shared/model/errors'
import type { Usage } from '../../../shared/model/message'

/** Keeps the history of a turn within the window of its model. The history changes in place; what is dropped stays in the log. */
export interface Room {
  /**
   * Called before every step, and free of cost while there is room. Else the oldest results lose their content, which is recorded, and where that is not
   * enough the conversation is compacted. Throws a `CodedError` when no room can be made; returns quietly when the turn was stopped meanwhile.
   */
  make(): Promise<void>
  /** The longest answer to ask for: the model's longest, or less where that would not fit beside the history; undefined: not known. */
  outputLimit(): number | undefined
  /** Tokens of an answer that fit beside the history. */
  left(): number
  /** The latest step is in the history; `usage` is what the provider has counted for it. */
  counted(usage: Usage | undefined): void
  /** The history has become another one. */
  replaced(): void
  /** The provider has refused the request as too long: remembers that the window is smaller. False when that is not to be mended. */
  overflowed(failure: Failure): boolean
}
