import { describe, expect, it } from 'vitest'
import { renameOver, renameOverSync } from './rename-over'

/** A rename that fails so often with this code. */
function failing(times: number, code: string) {
  let tries = 0
  return {
    tries: () => tries,
    rename() {
      if (++tries <= times) throw Object.assign(new Error(code), { code })
    },
  }
}

describe('a file that Windows holds for a moment', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])('is replaced at a later try (%s)', async (code) => {
    const [waiting, blocking] = [failing(3, code), failing(3, code)]
    await renameOver('a', 'b', { platform: 'win32', rename: waiting.rename })
    renameOverSync('a', 'b', { platform: 'win32', rename: blocking.rename })
    expect([waiting.tries(), blocking.tries()]).toEqual([4, 4])
  })

  it('is given up in the end, and at once on other systems or for another reason', async () => {
    const held = failing(100, 'EPERM')
    await expect(renameOver('a', 'b', { platform: 'win32', rename: held.rename })).rejects.toThrow('EPERM')
    expect(held.tries()).toBe(6)
    for (const [platform, code] of [
      ['linux', 'EPERM'],
      ['win32', 'ENOENT'],
    ] as const) {
      const { rename, tries } = failing(100, code)
      expect(() => renameOverSync('a', 'b', { platform, rename })).toThrow(code)
      expect(tries()).toBe(1)
    }
  })

  it('is looked at again before each try, and left alone when it has changed', async () => {
    let looks = 0
    const lastLook = () => {
      if (++looks === 2) throw new Error('changed meanwhile')
    }
    const { rename, tries } = failing(100, 'EBUSY')
    await expect(renameOver('a', 'b', { platform: 'win32', rename, lastLook })).rejects.toThrow('changed meanwhile')
    expect(tries()).toBe(1)
  })
})
