import type { KeptFile, RestoreStep } from '../../../shared/model/checkpoint'
import type { ToolDetails } from '../../../shared/model/preview'

/** What going back to a checkpoint of the running turn would do. */
export interface WayBack {
  /** Steps that would leave the conversation. */
  steps: number
  /** Files that would be put back; none unless that is asked for. */
  restores: RestoreStep[]
  kept: KeptFile[]
}

/** The checkpoints of one session, as its tools need them. */
export interface SessionCheckpoints {
  /** Changes nothing; `problem` says why the message cannot be sent, and what to do instead. */
  look(mail: Omit<Extract<ToolDetails, { kind: 'd-mail' }>, 'kind'>): Promise<WayBack | { problem: string }>
}
