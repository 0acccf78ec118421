import { CodedError } from '../../../shared/model/errors'
import type { ModelChunk, ModelRequest, Provider } from '../model/provider'

/** Hands on the chunks of one request; fails when it is silent for `idleMs`, and at once when stopped, whatever the provider does. */
export async function receive(
  provider: Provider,
  request: ModelRequest,
  { idleMs, signal }: { idleMs: number; signal: AbortSignal },
  take: (chunk: ModelChunk) => void,
): Promise<void> {
  const inner = new AbortController()
  let lastSign = performance.now()
  const alive = (): void => {
    lastSign = performance.now()
  }
  const read = async (): Promise<void> => {
    for await (const chunk of provider.stream({ ...request, alive }, inner.signal)) {
      if (inner.signal.aborted) return
      alive()
      take(chunk)
    }
  }
  let watch: NodeJS.Timeout | undefined
  const brokenOff = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true, signal: inner.signal })
    const check = (): void => {
      if (performance.now() - lastSign < idleMs) return
      reject(new CodedError('model.timeout', `Nothing arrived from the model for ${Math.round(idleMs / 1000)} s.`))
    }
    watch = setInterval(check, Math.max(10, Math.min(1000, idleMs / 4)))
  })
  try {
    signal.throwIfAborted()
    await Promise.race([read(), brokenOff])
  } finally {
    clearInterval(watch)
    // Without a reason of ours a DOMException is made, with its stack, at every step.
    inner.abort('over')
  }
}
