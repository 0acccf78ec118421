import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { projectState } from './project-state'

test('replacing a protected file changes the state immediately, however long a search takes', async () => {
  const root = await tempFolder()
  for (let index = 0; index < 1_500; index += 1) mkdirSync(join(root, `folder-${index}`))
  const policy = { root, folders: [], protect: [] }
  writeFileSync(join(root, '.env'), 'A=1')
  const before = projectState(policy)
  expect(projectState(policy)).toBe(before)
  // As editors and git do.
  writeFileSync(join(root, 'new'), 'A=2')
  renameSync(join(root, 'new'), join(root, '.env'))
  expect(projectState(policy)).not.toBe(before)
})

test('a new secret is found immediately when the folder is known to have changed', async () => {
  const root = await tempFolder()
  for (let index = 0; index < 1_500; index += 1) mkdirSync(join(root, `folder-${index}`))
  const policy = { root, folders: [], protect: [] }
  projectState(policy)
  writeFileSync(join(root, '.env'), 'A=1')
  expect(projectState(policy, true)).toContain('.env')
})
