import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readWindowState, writeWindowState } from './window-state'

const folder = mkdtempSync(join(tmpdir(), 'trestle-window-'))
const file = join(folder, 'nested', 'window.json')
const main = { x: 0, y: 25, width: 1440, height: 875 }
const right = { x: 1440, y: 0, width: 1920, height: 1080 }

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('what was written is read back, and no half-written file stays behind', () => {
  writeWindowState(file, { x: 1500, y: 30, width: 1000, height: 700 }, true)
  expect(readWindowState(file, [main, right])).toEqual({ bounds: { x: 1500, y: 30, width: 1000, height: 700 }, isMaximized: true })
  expect(readdirSync(join(folder, 'nested'))).toEqual(['window.json'])
})

test('a display that was unplugged does not hide the window', () => {
  writeWindowState(file, { x: 1500, y: 30, width: 1000, height: 700 }, false)
  expect(readWindowState(file, [main])).toEqual({ bounds: { width: 1000, height: 700 }, isMaximized: false })
})

test('a window under the menu bar or below the screen could not be moved, so it is not put there', () => {
  for (const y of [0, 24, 880, -500]) {
    writeWindowState(file, { x: 100, y, width: 800, height: 600 }, false)
    expect(readWindowState(file, [main]).bounds.x).toBeUndefined()
  }
})

test.each([
  '',
  '{',
  'null',
  '[]',
  '{"x":"1"}',
  '{"x":1,"y":1,"width":null,"height":1,"maximized":false}',
  '{"x":1e99,"y":1,"width":1,"height":1,"maximized":false}',
])('a damaged file (%s) gives the default window', (text) => {
  writeWindowState(file, main, false)
  writeFileSync(file, text)
  expect(readWindowState(file, [main])).toEqual({ bounds: { width: 1280, height: 840 }, isMaximized: false })
})

test('no display at all, as for a moment after waking up, is survived', () => {
  writeWindowState(file, { x: 10, y: 30, width: 1000, height: 700 }, false)
  expect(readWindowState(file, [])).toEqual({ bounds: { width: 1000, height: 700 }, isMaximized: false })
})
