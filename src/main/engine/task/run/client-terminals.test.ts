import { afterAll, beforeAll, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../../../../test/support/scratch'
import type { TaskEnd, TaskStart } from '../task-supervisor'
import { type ClientTerminal, clientTerminals } from './client-terminals'

let scratch: Scratch
beforeAll(() => void (scratch = createScratch()))
afterAll(() => scratch.remove())

/** A client that opens its terminal when `opens` is called, and what happens to that terminal. */
function slowClient() {
  const { promise, resolve } = Promise.withResolvers<ClientTerminal>()
  const released = Promise.withResolvers<string[]>()
  const done: string[] = []
  const terminal: ClientTerminal = {
    ended: () => new Promise(() => undefined),
    output: async () => ({ text: '', truncated: false }),
    kill: async () => void done.push('kill'),
    release: async () => released.resolve([...done, 'release']),
  }
  return {
    opens: () => resolve(terminal),
    released: released.promise,
    run: (start: Partial<TaskStart>, openMs?: number): Promise<TaskEnd> =>
      clientTerminals(
        { create: () => promise },
        { home: scratch.home, env: () => ({}), sandboxEnv: () => ({}), ...(openMs !== undefined && { openMs }) },
      ).run(
        {
          command: 'true',
          cwd: scratch.project,
          timeoutMs: null,
          signal: new AbortController().signal,
          ...start,
        },
        1000,
      ),
  }
}

it('does not wait forever for a client that opens no terminal, and ends one that opens late', async () => {
  const client = slowClient()
  await expect(client.run({}, 10)).rejects.toThrow('no terminal was opened for it within 0.01 seconds.')
  client.opens()
  expect(await client.released).toEqual(['kill', 'release'])
})

it('can be stopped while the client opens a terminal, which is ended', async () => {
  const client = slowClient()
  const stop = new AbortController()
  const running = client.run({ signal: stop.signal })
  stop.abort()
  expect((await running).task.status).toBe('stopped')
  client.opens()
  expect(await client.released).toEqual(['kill', 'release'])
})
