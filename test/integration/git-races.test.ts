import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { conflictsIn } from '../../src/main/engine/git/change/conflicts'
import { createKeptContent } from '../../src/main/engine/git/change/kept'
import type { OpenRepository } from '../../src/main/engine/git/repository/open-repository'
import { fileDiff } from '../../src/main/engine/git/state/file-diff'
import { whileSwapped } from '../support/folder-swapper'
import { tempFolder } from '../support/temp-folder'

const ATTEMPTS = 300
const SECRET = '<<<<<<< a\na secret\n=======\nb\n>>>>>>> b\n'
const OURS = '<<<<<<< a\nours\n=======\nb\n>>>>>>> b\n'

let base: string
let top: string
let folder: string
let outside: string

beforeEach(async () => {
  base = await tempFolder()
  ;[top, outside] = [join(base, 'project'), join(base, 'outside')]
  folder = join(top, 'sub')
  mkdirSync(folder, { recursive: true })
  mkdirSync(outside)
  writeFileSync(join(folder, 'a'), OURS)
  writeFileSync(join(outside, 'a'), SECRET)
})

const parts = () => ({ top, gitDir: join(top, '.git'), commonDir: join(top, '.git'), bare: false })

describe('a symbolic link that replaces a folder while git is used in it', () => {
  it('never leads a diff, a conflict or a kept copy out of the project', { timeout: 180_000 }, async () => {
    // Git reads neither a new file nor conflict markers.
    const repository = parts() as OpenRepository
    const home = join(base, 'home')
    const kept = createKeptContent({ home, now: Date.now })
    let seen = ''
    const swaps = await whileSwapped(folder, outside, async (soFar) => {
      for (let n = 0; n < ATTEMPTS * 4 || soFar() <= ATTEMPTS; n += 1) {
        await turn()
        const diff = await fileDiff(repository, { path: 'sub/a', side: 'untracked' }).catch(() => undefined)
        seen += JSON.stringify(diff?.hunks ?? [])
        try {
          seen += JSON.stringify(conflictsIn(repository, 'sub/a').parts)
        } catch {
          // Refused while the link is there.
        }
        try {
          kept.keep(repository, ['sub/a'], 'Test')
        } catch {
          // Refused, as above.
        }
      }
    })
    for (const name of readdirSync(home, { recursive: true, withFileTypes: true }))
      if (name.isFile()) seen += readFileSync(join(name.parentPath, name.name), 'utf8')
    expect(swaps).toBeGreaterThan(ATTEMPTS)
    expect(seen.includes('ours')).toBe(true)
    expect(seen.includes('a secret')).toBe(false)
  })

  it('never leads the restore of a kept copy out of the project', { timeout: 180_000 }, async () => {
    const kept = createKeptContent({ home: join(base, 'home'), now: Date.now })
    const paths = ['sub/b', 'sub/new/c', 'sub/a']
    mkdirSync(join(folder, 'new'))
    for (const path of paths) writeFileSync(join(top, path), 'restored')
    const id = kept.keep(parts(), paths, 'Test')!
    let restored = 0
    const swaps = await whileSwapped(folder, outside, async (soFar) => {
      for (let n = 0; n < ATTEMPTS * 2 || soFar() <= ATTEMPTS || restored <= 10; n += 1) {
        await turn()
        try {
          kept.restore(parts(), id)
          restored += 1
        } catch {
          // Refused while the link is there.
        }
      }
    })
    expect(swaps).toBeGreaterThan(ATTEMPTS)
    expect(readdirSync(outside)).toEqual(['a'])
    expect(readFileSync(join(outside, 'a'), 'utf8')).toBe(SECRET)
  })
})
