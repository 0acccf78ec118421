import type { EventBody } from '../../../shared/model/event'

/** A call that is about to run, with what it may change kept. */
export interface KeptCall {
  /** To be recorded before the call runs. */
  made: EventBody & { type: 'checkpoint.made' }
  /** To be called once the call has ended: what it did change, to be recorded. Never rejects. */
  changed(): Promise<(EventBody & { type: 'checkpoint.changed' }) | undefined>
}
