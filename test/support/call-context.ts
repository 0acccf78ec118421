import type { CallContext } from '../../src/main/engine/tool/tool'

/** What a call is run with where nobody is there to be asked. */
export function callContext(more: Partial<CallContext> = {}): CallContext {
  return {
    callId: 'c1',
    signal: new AbortController().signal,
    progress: () => undefined,
    ask: async () => ({ none: 'unattended', why: 'No user is available to answer.' }),
    ...more,
  }
}
