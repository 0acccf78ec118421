import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { applyRestore } from '../../src/main/engine/checkpoint/apply-restore'
import { openBlobStore, captureFile } from '../../src/main/engine/checkpoint/capture/file-state'
import { writeTool } from '../../src/main/engine/tool/files/write'
import { atomicWrite } from '../../src/main/engine/workspace/file/atomic-write'
import { createWorkspace } from '../../src/main/engine/workspace/workspace'
import { pinFolder } from '../../src/main/engine/workspace/file/pinned-folder'
import { loadFile, readSmall } from '../../src/main/engine/workspace/file/open-file'
import type { RestoreStep } from '../../src/shared/model/session/checkpoint'
import { textOf } from '../../src/shared/model/turn/message'
import { callContext } from '../support/call-context'
import { whileSwapped } from '../support/folder-swapper'
import { tempFolder } from '../support/temp-folder'

const ATTEMPTS = 300

let base: string
let project: string
let folder: string
let outside: string

beforeEach(async () => {
  base = await tempFolder()
  ;[project, outside] = [join(base, 'project'), join(base, 'outside')]
  folder = join(project, 'src')
  mkdirSync(folder, { recursive: true })
  mkdirSync(outside)
})

const signal = new AbortController().signal

function stepOf(change: Pick<RestoreStep, 'path' | 'from' | 'to'>): RestoreStep {
  const action = change.to.kind === 'absent' ? 'delete' : 'create'
  return { ...change, action, isFolder: change.to.kind === 'folder' || change.from.kind === 'folder' }
}

describe('a symbolic link that replaces a folder while Trestle works in it', () => {
  it('never leads a Write out of the project, nor creates a folder there', { timeout: 180_000 }, async () => {
    const workspace = createWorkspace({ root: project })
    const write = writeTool({ workspace })
    let written = 0
    let said = ''
    const swaps = await whileSwapped(folder, outside, async (soFar) => {
      for (let n = 0; n < ATTEMPTS || soFar() <= ATTEMPTS || written <= 10; n += 1) {
        const path = n % 3 === 0 ? `src/new-${n}/deep/${n}.txt` : `src/${n}.txt`
        const call = await write.prepare({ path, content: `text ${n}`, mode: 'overwrite' })
        // While the link exists, the path is known to be outside, and Write would ask.
        if (
          'refused' in call ||
          call.accesses.some((access) => access.kind === 'file' && !access.path.startsWith(project))
        )
          continue
        const result = await call.run(callContext({ signal }))
        if (result.isError !== true) written += 1
        said += textOf(result.content)
      }
    })
    expect(swaps).toBeGreaterThan(ATTEMPTS)
    expect(written).toBeGreaterThan(10)
    expect(said).not.toContain('/proc/self/fd')
    expect(readdirSync(outside)).toEqual([])
    expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.tmp'))).toEqual([])
  })

  it('never leads a read out of the project', { timeout: 180_000 }, async () => {
    writeFileSync(join(folder, 'a.txt'), 'ours')
    writeFileSync(join(outside, 'a.txt'), 'a secret')
    const path = join(folder, 'a.txt')
    const seen = new Set<string>()
    const blobs = openBlobStore(join(base, 'blobs'))
    const swaps = await whileSwapped(folder, outside, async (soFar) => {
      for (let n = 0; n < ATTEMPTS * 4 || soFar() <= ATTEMPTS; n += 1) {
        const loaded = await loadFile(path, 'a.txt').catch(() => undefined)
        const state = captureFile(path, { keepIn: blobs, maxBytes: 1000 })
        const kept = state.kind === 'file' ? blobs.get(state.hash) : undefined
        for (const bytes of [loaded?.bytes, readSmall(path, 1000), kept]) if (bytes) seen.add(bytes.toString('utf8'))
      }
    })
    expect(swaps).toBeGreaterThan(ATTEMPTS)
    expect([...seen]).toEqual(['ours'])
  })

  it(
    'never leads a restore out of the project: nothing is written, created, changed or removed there',
    { timeout: 180_000 },
    async () => {
      const blobs = openBlobStore(join(base, 'blobs'))
      const victim = join(outside, 'kept.txt')
      // The same content and permissions as the file the restore removes: only its location differs.
      for (const file of [victim, join(folder, 'kept.txt')]) {
        writeFileSync(file, 'same')
        chmodSync(file, 0o644)
      }
      mkdirSync(join(outside, 'empty'), { mode: 0o755 })
      const bytes = Buffer.from('restored')
      const file = { kind: 'file' as const, hash: blobs.put(bytes), size: bytes.length, mode: 0o644 }
      const absent = { kind: 'absent' as const }
      const kept = captureFile(victim, { maxBytes: 1000 })
      const empty = captureFile(join(outside, 'empty'), { maxBytes: 1000 })
      let restored = 0
      const swaps = await whileSwapped(folder, outside, async (soFar) => {
        for (let n = 0; n < ATTEMPTS || soFar() <= ATTEMPTS || restored <= 10; n += 1) {
          const name = `${n}.txt`
          const { changes } = await applyRestore(
            [
              { path: join(folder, name), from: absent, to: file },
              { path: join(folder, `in-${name}`, name), from: absent, to: file },
              { path: join(folder, `folder-${name}`), from: absent, to: { kind: 'folder' as const, mode: 0o700 } },
              { path: join(folder, 'kept.txt'), from: kept, to: absent },
              { path: join(folder, 'empty'), from: empty, to: absent },
            ].map(stepOf),
            { blobs, maxBytes: 1000, restoreId: `r${name}` },
          )
          restored += changes.filter(({ path }) => basename(path) === name).length
        }
      })
      expect(swaps).toBeGreaterThan(ATTEMPTS)
      expect(restored).toBeGreaterThan(10)
      expect(readdirSync(outside).toSorted()).toEqual(['empty', 'kept.txt'])
    },
  )
})

describe('a checked path', () => {
  it('is not written through a link in its last or an earlier component', async () => {
    writeFileSync(join(outside, 'a.txt'), 'old')
    symlinkSync(join(outside, 'a.txt'), join(folder, 'a.txt'))
    symlinkSync(outside, join(project, 'link'))
    for (const path of [join(folder, 'a.txt'), join(project, 'link', 'a.txt'), join(project, 'link', 'new.txt')])
      await expect(atomicWrite(path, Buffer.from('new'), { exactly: true })).rejects.toThrow(/symbolic link/)
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('old')
    expect(readdirSync(outside)).toEqual(['a.txt'])
  })

  it.runIf(process.platform === 'linux')('still refers to the same folder when its name is reassigned', () => {
    const held = pinFolder(folder, { shown: 'src' })
    try {
      rmSync(folder, { recursive: true })
      symlinkSync(outside, folder)
      expect(() => writeFileSync(held.at('a.txt'), 'x')).toThrow(/ENOENT/)
      expect(existsSync(join(outside, 'a.txt'))).toBe(false)
    } finally {
      held.close()
    }
  })
})
