import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { createMoveFile, readMoveFile, type MoveRecord } from './move-file'

const DAMAGED = expect.objectContaining({ code: 'move.damaged' })
const INVALID = expect.objectContaining({ code: 'request.invalid' })

let files = 0
function written(folder: string, records: readonly MoveRecord[]): string {
  const path = join(folder, `${(files += 1)}`)
  const file = createMoveFile(path)
  for (const { kind, data, name } of records) file.add(kind, data, name)
  file.finish()
  return path
}
const read = (path: string): MoveRecord[] =>
  [...readMoveFile(path)].map((record) => ({ ...record, data: Buffer.from(record.data) }))

const record = fc.record(
  {
    kind: fc.constantFrom('move', 'event', 'größe'),
    name: fc.string({ unit: 'grapheme', maxLength: 20 }),
    data: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
  },
  { requiredKeys: ['kind', 'data'] },
)

describe('a move file', () => {
  test('returns every record unchanged, whatever its content', async () => {
    const folder = await tempFolder()
    fc.assert(
      fc.property(fc.array(record, { maxLength: 5 }), (records) => {
        expect(read(written(folder, records))).toEqual(records)
      }),
      { numRuns: 25, seed: 14 },
    )
  })

  test('counts as damaged if any byte was changed, added or cut off', async () => {
    const folder = await tempFolder()
    const path = written(folder, [
      { kind: 'move', data: Buffer.from('{"a":1}') },
      { kind: 'event', name: 'x', data: Buffer.from('\n\n') },
    ])
    const bytes = readFileSync(path)
    const broken = join(folder, 'broken')
    const expectDamaged = (content: Buffer): void => {
      writeFileSync(broken, content)
      expect(() => read(broken)).toThrow(DAMAGED)
    }
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1
      expectDamaged(changed)
      expectDamaged(bytes.subarray(0, at))
    }
    expectDamaged(Buffer.concat([bytes, Buffer.from('\n')]))
  })

  test.runIf(process.platform !== 'win32')(
    'can be read only by the user, and never replaces another file',
    async () => {
      const folder = await tempFolder()
      const path = written(folder, [])
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(() => createMoveFile(path)).toThrow('EEXIST')
    },
  )

  test('that was not finished counts as damaged', async () => {
    const path = join(await tempFolder(), 'half')
    const file = createMoveFile(path)
    file.add('move', Buffer.from('{}'))
    file.close()
    expect(() => read(path)).toThrow(DAMAGED)
  })

  test('with a wrong length is not read into memory', async () => {
    const path = join(await tempFolder(), 'huge')
    for (const bytes of ['2000000000', '-1', '1e99', '"5"', '1.5', 'null']) {
      writeFileSync(path, `{"kind":"move","bytes":${bytes}}\nx\n`)
      expect(() => read(path)).toThrow(DAMAGED)
    }
  })

  test.runIf(process.platform !== 'win32')('is refused if it is not a regular file', async () => {
    const folder = await tempFolder()
    execFileSync('mkfifo', [join(folder, 'pipe')])
    for (const name of ['missing', '.', 'pipe']) expect(() => read(join(folder, name))).toThrow(INVALID)
  })
})
