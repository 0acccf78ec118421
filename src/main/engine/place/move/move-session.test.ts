import { existsSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { CodedError } from '../../../../shared/errors'
import type { MoveEnd } from './move-ends'
import { moveSession } from './move-session'

const SEALED = { moveId: 'move-1', bytes: 1, head: 'a'.repeat(64) }

/** Two ends that note what is asked of them. */
async function ends({ from, to }: { from?: Partial<MoveEnd>; to?: Partial<MoveEnd> }) {
  const asked: string[] = []
  const end = (name: string, own: Partial<MoveEnd> = {}): MoveEnd => ({
    label: name,
    address: async () => `home-${name}`,
    out: async () => SEALED,
    in: async () => {
      throw new Error('not asked for')
    },
    refuse: async (moveId) => void asked.push(`${name} refuses ${moveId}`),
    cancel: async (_sessionId, moveId) => void asked.push(`${name} cancels ${moveId}`),
    ...own,
  })
  const home = await tempFolder()
  const move = () =>
    moveSession({ from: end('from', from), to: end('to', to), sessionId: 's', home, step: () => undefined })
  return { asked, move }
}

test('a session that was sealed continues where it was when its file cannot be copied', async () => {
  let copy = ''
  const { asked, move } = await ends({
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
  expect(asked).toEqual(['to refuses move-1', 'from cancels move-1'])
  expect(existsSync(copy)).toBe(false)
})

test('a session that was not sealed is left as it is', async () => {
  const { asked, move } = await ends({
    from: {
      async out() {
        throw new CodedError('session.busy', 'A task is still running.')
      },
    },
  })
  await expect(move()).rejects.toMatchObject({ code: 'session.busy' })
  expect(asked).toEqual([])
})

test('whether a session was received stays open when neither end can be asked', async () => {
  const lost = async (): Promise<never> => {
    throw new CodedError('place.unreachable', 'The connection was lost.')
  }
  const { asked, move } = await ends({ to: { in: lost, refuse: lost } })
  await expect(move()).rejects.toMatchObject({ code: 'move.unfinished' })
  expect(asked).toEqual([])
})
