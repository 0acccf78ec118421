import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { cascaded, readWindowStates, writeWindowStates, type WindowState } from './window-state'

const folder = mkdtempSync(join(tmpdir(), 'trestle-window-'))
const file = join(folder, 'nested', 'window.json')
const main = { x: 0, y: 25, width: 1440, height: 875 }
const right = { x: 1440, y: 0, width: 1920, height: 1080 }

const read = (areas: Parameters<typeof readWindowStates>[1]): WindowState | undefined =>
  readWindowStates(file, areas)[0]
const write = (bounds: typeof main, isMaximized: boolean) => writeWindowStates(file, [{ bounds, isMaximized }])

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('reads back saved windows, and leaves no temporary file', () => {
  write({ x: 1500, y: 30, width: 1000, height: 700 }, true)
  expect(read([main, right])).toEqual({ bounds: { x: 1500, y: 30, width: 1000, height: 700 }, isMaximized: true })
  expect(readdirSync(join(folder, 'nested'))).toEqual(['window.json'])
})

test('moves a window back from an unplugged display', () => {
  write({ x: 1500, y: 30, width: 1000, height: 700 }, false)
  expect(read([main])).toEqual({ bounds: { width: 1000, height: 700 }, isMaximized: false })
})

test('keeps the title bar within reach, not under the menu bar or below the screen', () => {
  for (const y of [0, 24, 880, -500]) {
    write({ x: 100, y, width: 800, height: 600 }, false)
    expect(read([main])?.bounds.x).toBeUndefined()
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
  write(main, false)
  writeFileSync(file, text)
  expect(read([main])).toEqual({ bounds: { width: 1280, height: 840 }, isMaximized: false })
})

test('handles a moment without any display, as after waking up', () => {
  write({ x: 10, y: 30, width: 1000, height: 700 }, false)
  expect(read([])).toEqual({ bounds: { width: 1000, height: 700 }, isMaximized: false })
})

test('restores several windows with their positions and routes', () => {
  const one = { bounds: { x: 10, y: 30, width: 1000, height: 700 }, isMaximized: false, path: '/s/a' }
  const other = { bounds: { x: 1500, y: 30, width: 900, height: 700 }, isMaximized: true, path: '/settings/mcp' }
  writeWindowStates(file, [one, other])
  expect(readWindowStates(file, [main, right])).toEqual([one, other])
})

test('reads a file of an earlier version with one window', () => {
  write(main, false)
  writeFileSync(file, '{"x":1500,"y":30,"width":1000,"height":700,"maximized":true}')
  expect(readWindowStates(file, [main, right])).toEqual([
    { bounds: { x: 1500, y: 30, width: 1000, height: 700 }, isMaximized: true },
  ])
})

test('places another window beside the existing one, or leaves it to the system without room', () => {
  expect(cascaded({ x: 100, y: 100, width: 800, height: 600 }, [main])).toEqual({
    x: 132,
    y: 132,
    width: 800,
    height: 600,
  })
  expect(cascaded({ x: 1400, y: 100, width: 800, height: 600 }, [main])).toEqual({ width: 800, height: 600 })
})
