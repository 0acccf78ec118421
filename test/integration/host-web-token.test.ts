import { once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { SOCKET_REFUSED } from '../../src/shared/contract/page-host'
import { createScratch, type Scratch } from '../support/scratch'
import { serveApp, type ServedApp } from '../support/served-app'

let scratch: Scratch
const apps: ServedApp[] = []
beforeEach(() => {
  scratch = createScratch()
})
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
  scratch.remove()
})

async function serve(...args: string[]): Promise<ServedApp> {
  const { PATH = '', HOME = '' } = process.env
  const app = await serveApp({ PATH, HOME, TRESTLE_HOME: scratch.home }, args)
  apps.push(app)
  return app
}

function open(url: string, token: string): WebSocket {
  return new WebSocket(`${new URL(url).origin.replace('http', 'ws')}/socket`, ['trestle.1', `token.${token}`])
}

const tokenOf = (url: string): string => new URL(url).hash.slice('#token='.length)

const closeCode = (socket: WebSocket): Promise<number> => new Promise((resolve) => socket.once('close', resolve))

test('a new token disconnects every open page of a running server, and admits pages that have it', async () => {
  const first = await serve()
  const page = open(first.url, tokenOf(first.url))
  const shutOut = closeCode(page)
  await once(page, 'open')
  const second = await serve('--new-token')
  expect(tokenOf(second.url)).not.toBe(tokenOf(first.url))
  expect(await shutOut).toBe(SOCKET_REFUSED)
  expect(await closeCode(open(first.url, tokenOf(first.url)))).toBe(SOCKET_REFUSED)
  const next = open(first.url, tokenOf(second.url))
  const said = await Promise.race([
    closeCode(next),
    new Promise((resolve) => next.once('message', () => resolve('ready'))),
  ])
  expect(said).toBe('ready')
  next.terminate()
})
