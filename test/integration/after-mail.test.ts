import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { openStore } from '../../src/main/engine/store/open/open-store'
import { startModelServer } from '../support/model-server'
import type { ScriptStep } from '../support/model-script'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig } from '../support/scratch'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})

/** A page on this machine, and the paths that were requested from it. */
async function startPage(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server: Server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end('hello')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undo.push(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

it('a page on an allowed host is fetched in Auto before mail was read, and denied without a user from then on', async () => {
  const page = await startPage()
  const scratch = createScratch()
  undo.push(() => scratch.remove())
  const fetched = (path: string): ScriptStep[] => [
    { toolCalls: [{ name: 'FetchURL', input: { url: `${page.url}${path}` } }] },
    { text: 'done' },
  ]
  const model = await startModelServer({ script: [...fetched('/before'), ...fetched('/after')] })
  undo.push(() => model.close())
  const rules = '[web]\nallowed_hosts = ["127.0.0.1"]\n[[permission.rules]]\ndecision = "allow"\npattern = "FetchURL"\n'
  writeConfig(scratch.home, `${configFor(model.baseUrl)}${rules}`)
  const print = (...more: string[]) =>
    runCli(['print', 'go', '--cwd', scratch.project, '--permission-mode', 'auto', ...more], { home: scratch.home })

  await print()
  const { store } = openStore({ home: scratch.home })
  const { sessionId } = store.list()[0]!
  const read = { callId: 'mail', name: 'MailRead', content: [], isError: false, durationMs: 1 }
  store.append(sessionId, [{ type: 'tool.finished', turnId: 'earlier', ...read }])
  store.close()
  await print('--session', sessionId)

  expect(page.asked).toEqual(['/before'])
  expect(JSON.stringify(model.requests.at(-1)!.body)).toContain('This conversation contains mail')
})
