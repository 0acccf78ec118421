import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createProvider } from '../../src/main/engine/model/adapter/adapter'
import { askFor, collect } from '../support/collect-chunks'
import { tempFolder } from '../support/temp-folder'
import { unstopped } from '../support/wire-cases'

it('the scripted model server runs standalone, prints its URL, speaks all four protocols and exits cleanly', async () => {
  const script = join(await tempFolder(), 'script.json')
  await writeFile(script, JSON.stringify([{ text: 'hello', repeat: 4 }]))
  const cli = join(import.meta.dirname, '../support/model-server-cli.ts')
  const child = spawn(process.execPath, [cli, '--script', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  for (const type of ['openai-compatible', 'openai-responses', 'anthropic', 'google'] as const) {
    const provider = await createProvider({ type, baseUrl: line.trim() }, { key: 'k' })
    expect((await collect(provider.stream(askFor('hi'), unstopped()))).text).toBe('hello')
  }
  child.kill('SIGTERM')
  const [code] = (await once(child, 'exit')) as [number | null]
  expect(code).toBe(0)
})
