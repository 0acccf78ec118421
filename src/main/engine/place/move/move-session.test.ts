import { existsSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { CodedError } from '../../../../shared/errors'
import type { MoveEnd } from './move-ends'
import { moveSession } from './move-session'

const SEALED = { moveId: 'move-1', bytes: 1, head: 'a'.repeat(64) }

/** Two ends that record their calls. */
async function ends({ from, to }: { from?: Partial<MoveEnd>; to?: Partial<MoveEnd> }) {
  const calls: string[] = []
  const end = (name: string, own: Partial<MoveEnd> = {}): MoveEnd => ({
    label: name,
    address: async () => `home-${name}`,
    out: async () => SEALED,
    in: async () => {
      throw new Error('unexpected call')
    },
    refuse: async (moveId) => void calls.push(`${name} refuses ${moveId}`),
    cancel: async (_sessionId, moveId) => void calls.push(`${name} cancels ${moveId}`),
    ...own,
  })
  const home = await tempFolder()
  const move = () =>
    moveSession({ from: end('from', from), to: end('to', to), sessionId: 's', home, step: () => undefined })
  return { calls, move }
}

test('a sealed session continues where it was if its file cannot be copied', async () => {
  let copy = ''
  const { calls, move } = await ends({
    from: {
      async out(_sessionId, _to, file, isSealed) {
        copy = file
        isSealed(SEALED)
        writeFileSync(file, 'half')
        throw new CodedError('place.copy_failed', 'The connection was lost.')
      },
    },
  })
  await expect(move()).rejects.toMatchObject({ code: 'place.copy_failed' })
  expect(calls).toEqual(['to refuses move-1', 'from cancels move-1'])
  expect(existsSync(copy)).toBe(false)
})

test('a session that could not be sealed stays unchanged', async () => {
  const { calls, move } = await ends({
    from: {
      async out() {
        throw new CodedError('session.busy', 'A task is still running.')
      },
    },
  })
  await expect(move()).rejects.toMatchObject({ code: 'session.busy' })
  expect(calls).toEqual([])
})

test('the outcome of a move stays unknown if neither end can be reached', async () => {
  const lost = async (): Promise<never> => {
    throw new CodedError('place.unreachable', 'The connection was lost.')
  }
  const { calls, move } = await ends({ to: { in: lost, refuse: lost } })
  await expect(move()).rejects.toMatchObject({ code: 'move.unfinished' })
  expect(calls).toEqual([])
})
