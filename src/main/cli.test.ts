import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('a Node that is too old gets a sentence that says which one is needed', () => {
  const withoutModules = 'data:text/javascript,process.getBuiltinModule=undefined'
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', withoutModules, join(import.meta.dirname, 'cli.ts'), '--version'],
    { encoding: 'utf8' },
  )
  expect(stderr).toMatch(/^Trestle needs Node 22\.3 or newer; this is \d+/)
  expect(status).toBe(2)
})
