import { afterEach, describe, expect, it } from 'vitest'
import type { TrestleClient } from '../../../shared/contract'
import { resend } from './resend-state'
import { useReturnedMessage } from './restore-state'

const lost = () => Promise.reject(new Error('The connection was lost.'))
const done = () => Promise.resolve()
const ASKED = {
  sessionId: 's1',
  to: 3,
  parts: [{ type: 'text' as const, text: 'try again' }],
  where: 'here' as const,
  files: false,
}

afterEach(() => useReturnedMessage.setState({ message: undefined }))

describe('a message that is sent again', () => {
  it('stays with its caller if the conversation could not be restored', async () => {
    const client = { session: { stop: done }, checkpoint: { restore: lost } } as unknown as TrestleClient
    await expect(resend(client, ASKED)).rejects.toThrow('lost')
    expect(useReturnedMessage.getState().message).toBeUndefined()
  })

  it('is in the composer if only sending it failed', async () => {
    const restore = async () => ({ kept: [] })
    const client = { session: { stop: done, prompt: lost }, checkpoint: { restore } } as unknown as TrestleClient
    await resend(client, ASKED)
    expect(useReturnedMessage.getState().message).toMatchObject({ sessionId: 's1', parts: ASKED.parts })
  })
})
