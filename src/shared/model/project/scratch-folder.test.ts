import { expect, test } from 'vitest'
import { isScratchFolder, projectFolder } from './scratch-folder'

test.each([
  ['/home/ada/.trestle-scratch/2026-11-24-k3f9', '/home/ada/.trestle-scratch'],
  ['/home/ada/.trestle-scratch', '/home/ada/.trestle-scratch'],
  ['C:\\Users\\Ada\\.trestle-scratch\\2026-11-24-k3f9', 'C:\\Users\\Ada\\.trestle-scratch'],
])('%s belongs to a session without a project', (folder, project) => {
  expect(isScratchFolder(folder)).toBe(true)
  expect(projectFolder(folder)).toBe(project)
})

test.each(['/home/ada/code/shop', '/home/ada/x.trestle-scratch/a', '/home/ada/.trestle-scratch/a/b'])(
  '%s is a project',
  (folder) => {
    expect(isScratchFolder(folder)).toBe(false)
    expect(projectFolder(folder)).toBe(folder)
  },
)
