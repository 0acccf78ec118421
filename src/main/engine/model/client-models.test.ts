import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { createClientModels } from './client-models'
import type { ModelRequest } from './provider'

const OFFER = {
  models: [{ id: 'p/m', label: 'm', contextWindow: 1000, toolCalls: true, imagesIn: false, thinking: false }],
}

it('an answer is still awaited while its client is gone, also between two attempts', async () => {
  const models = createClientModels({ file: join(await tempFolder(), 'offer.json'), changed: () => {} })
  const leaving = new AbortController()
  const pushes = models.serve(OFFER, leaving.signal)
  const next = pushes.next()
  expect(models.isAsking()).toBe(false)
  const request = { messages: [] } as unknown as ModelRequest
  const chunks = models.provider('p/m').stream(request, new AbortController().signal)
  const answer = chunks[Symbol.asyncIterator]()
  const failed = answer.next().then(
    () => 'answered',
    (error: unknown) => String(error),
  )
  expect(await next).toMatchObject({ value: { type: 'call', modelId: 'p/m' } })
  expect(models.isAsking()).toBe(true)
  leaving.abort()
  await pushes.next()
  expect(await failed).toContain('disconnected')
  // The loop pauses before its next attempt.
  expect(models.isAsking()).toBe(true)
  const end = new AbortController()
  const back = models.serve(OFFER, end.signal)
  const ended = back.next()
  expect(models.isAsking()).toBe(false)
  end.abort()
  expect(await ended).toMatchObject({ done: true })
})
