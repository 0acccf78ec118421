import { afterEach, expect, it, vi } from 'vitest'
import { askFor } from '../../../../test/support/collect-chunks'
import type { ModelChunk, Provider } from '../model/provider'
import { receiveChunks } from './model-request'

afterEach(() => vi.restoreAllMocks())

/** Sends one chunk and then nothing until it is aborted. */
const silent: Provider = {
  async *stream(_request, signal): AsyncGenerator<ModelChunk> {
    yield { type: 'text', text: 'one thing' }
    await new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(new Error('over')), { once: true }),
    )
  },
}

it('times out a silent model even if the clock is set back', async () => {
  const before = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(before)
  const heard: ModelChunk[] = []
  const received = receiveChunks(
    silent,
    askFor('hi'),
    { idleMs: 40, signal: new AbortController().signal },
    (chunk) => {
      heard.push(chunk)
      vi.spyOn(Date, 'now').mockReturnValue(before - 3_600_000)
    },
  )
  await expect(received).rejects.toMatchObject({ code: 'model.timeout' })
  expect(heard).toHaveLength(1)
})
