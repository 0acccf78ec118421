import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('reports which version is needed when Node is too old', () => {
  const older = "data:text/javascript,Object.defineProperty(process.versions,'napi',{value:'9'})"
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', older, join(import.meta.dirname, 'cli.ts'), '--version'],
    { encoding: 'utf8' },
  )
  expect(stderr).toMatch(/^Trestle needs Node 22\.14 or newer; this is \d+/)
  expect(status).toBe(2)
})
