import { readdirSync, readFileSync, statSync, writeFileSync, type PathLike } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { sharedToken } from './home-endpoint'

/** What systems report for a file system without hard links; Windows says EISDIR on exFAT. */
const failing = (code: string) => () => {
  throw Object.assign(new Error(code), { code })
}

describe('the secret that the task host and its clients share', () => {
  it.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR', 'EINVAL'])(
    'is created and shared without hard links (%s)',
    async (code) => {
      const file = join(await tempFolder(), 'token')
      const token = sharedToken(file, { link: failing(code) })
      expect(token).toMatch(/^[0-9a-f]{64}$/)
      expect([sharedToken(file), sharedToken(file, { link: failing(code) }), readFileSync(file, 'utf8')]).toEqual([
        token,
        token,
        token,
      ])
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(readdirSync(join(file, '..'))).toEqual(['token'])
    },
  )

  it('is that of the first process to create it', async () => {
    const file = join(await tempFolder(), 'token')
    const other = 'a'.repeat(64)
    const link = (): void => {
      writeFileSync(file, other)
      failing('EEXIST')()
    }
    expect(sharedToken(file, { link })).toBe(other)
    const late = join(await tempFolder(), 'token')
    const write = (path: PathLike | number, data: unknown, options: unknown): void => {
      if (path === late) writeFileSync(late, other)
      writeFileSync(path, String(data), options as { flag: string })
    }
    expect(sharedToken(late, { link: failing('EISDIR'), write })).toBe(other)
  })

  it('reports a truncated file instead of waiting forever', async () => {
    const file = join(await tempFolder(), 'token')
    writeFileSync(file, 'half')
    expect(() => sharedToken(file)).toThrow('is damaged')
  })
})
