import type { ToldFact } from '../../../shared/model/prefix'
import type { ToolSchema } from '../model/provider'

/** What the requests of a turn begin with. It is recorded and stays the same until the conversation is compacted; what changes is told in messages. */
export interface TurnPrefix {
  readonly system: string
  /** The same array as long as the prefix is the same. */
  readonly tools: readonly ToolSchema[]
  /** Called before each request: freezes the prefix anew where a compaction, or going back, has ended the one before. Free of cost otherwise. */
  renew(): Promise<void>
  /** What the model must be told, because it is not as it was told; undefined when all is. Cheap while nothing has changed. Recording it makes it told. */
  news(): { text: string; facts: ToldFact[] } | undefined
}
