import { readFile, realpath, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { protectedPath } from '../../engine/approval/dangerous/protected-path'
import { createScratchFolder, listFolder } from './folder-handlers'

async function made(): Promise<string> {
  const path = await realpath(await createScratchFolder())
  onTestFinished(() => rm(dirname(path), { recursive: true }))
  return path
}

test('a demo step is not flagged as a change to the configuration of Trestle', async () => {
  const path = await made()
  expect(await readFile(join(path, 'README.md'), 'utf8')).toContain('# Greeter')
  expect(protectedPath(join(path, 'trestle-demo.md'))).toBeUndefined()
})

test('each demo starts in its own folder', async () => {
  expect(await made()).not.toBe(await made())
})

test('a listing says that a folder does not exist, and that a path is not a folder', async () => {
  const path = await made()
  const file = join(path, 'README.md')
  await expect(listFolder(join(path, 'none'))).rejects.toMatchObject({
    code: 'folder.missing',
    message: `There is no folder ${join(path, 'none')}.`,
  })
  for (const wrong of [file, join(file, 'in')])
    await expect(listFolder(wrong)).rejects.toMatchObject({
      code: 'folder.missing',
      message: `${wrong} is not a folder.`,
    })
})
