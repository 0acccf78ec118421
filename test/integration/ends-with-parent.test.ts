import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const SUPPORT = pathToFileURL(join(import.meta.dirname, '../support/ends-with-parent.ts')).href

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('a program that a test has started ends when the test is killed', async () => {
  const waits = 'setInterval(() => {}, 1000); console.log(process.pid)'
  const starts =
    `import { spawnWithParent } from ${JSON.stringify(SUPPORT)}\n` +
    `const child = spawnWithParent(['-e', ${JSON.stringify(waits)}])\n` +
    `child.stdout.pipe(process.stdout)`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', starts], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(printed.toString())
  onTestFinished(() => void (lives(pid) && process.kill(pid, 'SIGKILL')))
  expect(lives(pid)).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => lives(pid)).toBe(false)
})
