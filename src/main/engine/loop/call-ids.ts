import type { Message } from '../../../shared/model/message'

/**
 * Makes call ids unique within a session: some servers count from `call_0` in every answer. Where the history has been compacted it does not show the ids
 * from before: then `since`, the place of that in the log, is put into every new one.
 */
export function createCallIds(history: readonly Message[], since?: number): (wireId: string) => string {
  const seen = new Set<string>()
  for (const message of history) if (message.role === 'tool') seen.add(message.callId)
  return (wireId) => {
    const base = `${wireId || 'call'}${since === undefined ? '' : `_c${since}`}`
    let id = base
    for (let n = 2; seen.has(id); n += 1) id = `${base}_${n}`
    seen.add(id)
    return id
  }
}
