import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { startOnSavedPort } from '../../src/main/host/web/serve-main'
import { memoryEngine } from '../support/memory-engine'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

async function scratch() {
  const home = await mkdtemp(join(tmpdir(), 'trestle-port-'))
  cleanups.push(() => rm(home, { recursive: true }))
  const start = async () => {
    const host = await startOnSavedPort({ engine: memoryEngine({ home }), rendererDir: home })
    let isOpen = true
    const close = async (): Promise<void> => {
      if (isOpen) await host.close()
      isOpen = false
    }
    cleanups.push(close)
    return { port: host.port, close }
  }
  return { file: join(home, 'web-port'), start }
}

test('a restarted host keeps its address (theme and last session are stored by the browser per address)', async () => {
  const { start } = await scratch()
  const first = await start()
  await first.close()
  const second = await start()
  expect(second.port).toBe(first.port)
})

test('a second host uses another port and leaves the default one alone', async () => {
  const { start, file } = await scratch()
  const first = await start()
  const second = await start()
  expect(second.port).not.toBe(first.port)
  expect(Number(await readFile(file, 'utf8'))).toBe(first.port)
})

test('a damaged port file does not keep the host from starting', async () => {
  const { start, file } = await scratch()
  await writeFile(file, 'not a port')
  const { port } = await start()
  expect(port).toBeGreaterThan(1023)
  expect(Number(await readFile(file, 'utf8'))).toBe(port)
})
