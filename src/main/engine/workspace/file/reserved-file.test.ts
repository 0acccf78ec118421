import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { atomicWrite } from './atomic-write'
import { loadFile } from './open-file'

it('a name that a sandbox reserves is read as missing, and can be written', async () => {
  const path = join(await tempFolder(), '.mcp.json')
  mkdirSync(path)
  expect(await loadFile(path, '.mcp.json')).toBeUndefined()
  await atomicWrite(path, Buffer.from('{}'), { expect: 'absent' })
  expect(readFileSync(path, 'utf8')).toBe('{}')
})

it('a folder with that name that is not empty is kept, and so is an empty folder with another name', async () => {
  const folder = await tempFolder()
  const [full, other] = [join(folder, '.mcp.json'), join(folder, 'notes.json')]
  for (const path of [full, other]) mkdirSync(path)
  writeFileSync(join(full, 'kept'), '')
  for (const path of [full, other]) {
    await expect(loadFile(path, path)).rejects.toThrow('is a folder, not a file')
    await expect(atomicWrite(path, Buffer.from('{}'))).rejects.toThrow('is a folder, not a file')
  }
  expect(readdirSync(full)).toEqual(['kept'])
})
