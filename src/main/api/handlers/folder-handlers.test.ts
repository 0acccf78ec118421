import { readFile, realpath, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { protectedPath } from '../../engine/approval/dangerous/protected-path'
import { createScratchFolder } from './folder-handlers'

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
