const targets = new Map<string, (callId: string) => boolean>()

/** Registers who can scroll a session's transcript; returns how to unregister. */
export function registerTranscript(sessionId: string, jump: (callId: string) => boolean): () => void {
  targets.set(sessionId, jump)
  return () => {
    if (targets.get(sessionId) === jump) targets.delete(sessionId)
  }
}

/** Scrolls to a call in the transcript on screen and opens it. False when that session is not on screen or the call is not loaded. */
export function jumpToCall(sessionId: string, callId: string): boolean {
  return targets.get(sessionId)?.(callId) ?? false
}
