const FRONT = 'trestle.front'
const CALLER = 'trestle.caller'

/** What the pages of one browser know of each other: which of them calls for the user, and whether any of them is in front. */
export interface Pages {
  /** Whether this page is the one that calls. */
  isCaller(): boolean
  isAnyInFront(): Promise<boolean>
  leave(): void
}

/** Joins the open pages. They find each other through locks, which go by themselves when a page is closed or crashes. */
export function joinPages(): Pages {
  const leaving = new AbortController()
  let isCaller = false
  let step: (() => void) | undefined
  void hold(CALLER, 'exclusive', leaving.signal, () => (isCaller = true))

  const look = (): void => {
    const inFront = isInFront()
    if (inFront && !step) {
      const back = new AbortController()
      step = () => back.abort()
      void hold(FRONT, 'shared', back.signal)
    } else if (!inFront && step) {
      step()
      step = undefined
    }
  }
  const changes = [
    [window, 'focus'],
    [window, 'blur'],
    [document, 'visibilitychange'],
  ] as const
  for (const [target, change] of changes) target.addEventListener(change, look)
  look()

  return {
    isCaller: () => isCaller,
    isAnyInFront: async () => isInFront() || ((await navigator.locks.query()).held ?? []).some(({ name }) => name === FRONT),
    leave() {
      for (const [target, change] of changes) target.removeEventListener(change, look)
      step?.()
      leaving.abort()
    },
  }
}

function isInFront(): boolean {
  return document.visibilityState === 'visible' && document.hasFocus()
}

/** Waits for the lock and keeps it until the signal. */
async function hold(name: string, mode: LockMode, signal: AbortSignal, onHeld?: () => void): Promise<void> {
  try {
    await navigator.locks.request(name, { mode, signal }, () => {
      onHeld?.()
      return new Promise<void>((release) => {
        if (signal.aborted) release()
        else signal.addEventListener('abort', () => release(), { once: true })
      })
    })
  } catch {
    // It was given up while it was waited for.
  }
}
