import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ServerNotices, type ServerStatus } from './server-notices'

let told: string[]
let news: ServerNotices
beforeEach(() => {
  told = []
  news = new ServerNotices((text, tone) => told.push(`${tone}: ${text}`))
  vi.useFakeTimers()
})
afterEach(() => void vi.useRealTimers())

const server = (name: string, state: 'ready' | 'failed' | 'sign_in', message?: string): ServerStatus => ({
  server: { serverId: name, name },
  shared: { state, error: message === undefined ? undefined : { message, stderr: '' } },
})

test('a server that gives no tools is told once for each trouble it has', () => {
  const gone = server('gone', 'failed', 'It is\nnot there.')
  news.reportUnavailable([gone, server('ok', 'ready')])
  expect(told.splice(0)).toEqual([
    'warning: The MCP server gone could not be reached: It is not there. The agent goes on without it; "trestle mcp test gone" tries it alone.',
  ])
  news.reportUnavailable([gone])
  expect(told).toEqual([])
  news.reportUnavailable([server('gone', 'sign_in')])
  expect(told).toEqual([
    'warning: The MCP server gone wants you to sign in: trestle mcp login gone. The agent goes on without it.',
  ])
})

test('a mistake in a file is told once, with its file, its line and what follows', () => {
  const problem = { file: '/home/mcp.json', line: 3, column: 1, message: 'A } is missing before the end.' }
  news.reportConfigProblems([problem])
  news.reportConfigProblems([problem])
  expect(told).toEqual([
    'warning: /home/mcp.json:3: A } is missing before the end. The MCP servers that this concerns are not used until the file is corrected.',
  ])
})

test('a wait for servers is told when it takes more than a second, and not when they are there by then', () => {
  news.reportWaiting(['quick'], 5_000)([])
  const over = news.reportWaiting(['slow', 'slower'], 5_000)
  vi.advanceTimersByTime(999)
  expect(told).toEqual([])
  vi.advanceTimersByTime(1)
  expect(told.splice(0)).toEqual(['info: Waiting for the MCP servers slow, slower (up to 5 s)…'])
  over(['slower'])
  expect(told).toEqual([
    'warning: The MCP server slower has not started within 5 s. The agent goes on without it, and can use it once it has.',
  ])
})
