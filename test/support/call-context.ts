import type { CallContext } from '../../src/main/engine/tool/tool'

/** The context of a call when no user is available. */
export function callContext(more: Partial<CallContext> = {}): CallContext {
  return {
    callId: 'c1',
    signal: new AbortController().signal,
    progress: () => undefined,
    ask: async () => ({ none: 'unattended', why: 'No user is available to answer.' }),
    ...more,
  }
}
