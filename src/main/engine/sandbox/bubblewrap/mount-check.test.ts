import { expect, it } from 'vitest'
import { isComplete } from './mount-check'

const OUTSIDE = '43 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n'
const PROJECT = '70 67 8:1 /home/ada/shop /home/ada/shop rw,relatime - ext4 /dev/sda1 rw\n'
const NEW_ROOT = '67 43 0:40 /newroot / ro,nosuid,nodev,relatime - tmpfs tmpfs rw\n'

it('takes the mounts of a sandbox as complete when only its own root is left', () => {
  expect(isComplete(NEW_ROOT + PROJECT, OUTSIDE)).toBe(true)
})

it('waits while the root that bubblewrap built it in is still mounted over it', () => {
  const building = '66 67 0:40 / / rw,nosuid,nodev,relatime - tmpfs tmpfs rw\n'
  expect(isComplete(building + NEW_ROOT + PROJECT, OUTSIDE)).toBe(false)
})

it('waits while the old and the new root are folders, and before anything is mounted', () => {
  const folders = '66 43 0:40 / / rw - tmpfs tmpfs rw\n69 66 8:1 / /oldroot rw - ext4 /dev/sda1 rw\n'
  expect(isComplete(folders, OUTSIDE)).toBe(false)
  expect(isComplete(OUTSIDE, OUTSIDE)).toBe(false)
  expect(isComplete('', OUTSIDE)).toBe(false)
})
