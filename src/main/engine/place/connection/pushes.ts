/** A buffer of pushes for a reader that may be slow or disconnected. */
export function createPushes<Push>(): {
  push(value: Push): void
  end(error?: unknown): void
  all(): AsyncGenerator<Push, void, void>
} {
  const waiting: Push[] = []
  let over: { error?: unknown } | undefined
  let waker: (() => void) | undefined
  return {
    push(value) {
      waiting.push(value)
      waker?.()
    },
    end(error) {
      over ??= error === undefined ? {} : { error }
      waker?.()
    },
    async *all() {
      for (;;) {
        const next = waiting.shift()
        if (next !== undefined) yield next
        else if (over) {
          if ('error' in over) throw over.error
          return
        } else await new Promise<void>((resolve) => (waker = resolve))
      }
    },
  }
}
