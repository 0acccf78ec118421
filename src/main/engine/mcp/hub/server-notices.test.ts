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

test('reports a server without tools once per problem', () => {
  const gone = server('gone', 'failed', 'It is\nnot there.')
  news.reportUnavailable([gone, server('ok', 'ready')])
  expect(told.splice(0)).toEqual([
    'warning: The MCP server gone could not be reached: It is not there. ' +
      'The agent continues without it; test it with "trestle mcp test gone".',
  ])
  news.reportUnavailable([gone])
  expect(told).toEqual([])
  news.reportUnavailable([server('gone', 'sign_in')])
  expect(told).toEqual([
    'warning: The MCP server gone requires you to sign in: trestle mcp login gone. The agent continues without it.',
  ])
})

test('reports a mistake in a file once, with its file, line and consequence', () => {
  const problem = { file: '/home/mcp.json', line: 3, column: 1, message: 'A } is missing before the end.' }
  news.reportConfigProblems([problem])
  news.reportConfigProblems([problem])
  expect(told).toEqual([
    'warning: /home/mcp.json:3: A } is missing before the end. ' +
      'The MCP servers that this concerns are not used until the file is corrected.',
  ])
})

test('reports a wait for servers only when it takes more than a second', () => {
  news.reportWaiting(['quick'], 5_000)([])
  const over = news.reportWaiting(['slow', 'slower'], 5_000)
  vi.advanceTimersByTime(999)
  expect(told).toEqual([])
  vi.advanceTimersByTime(1)
  expect(told.splice(0)).toEqual(['info: Waiting for the MCP servers slow, slower (up to 5 s)…'])
  over(['slower'])
  expect(told).toEqual([
    'warning: The MCP server slower has not started within 5 s. The agent continues without it until it has.',
  ])
})

test('limits how many requests of one server that cannot be shown are reported', () => {
  for (let n = 0; n < 100; n += 1) news.reportUnshown('post', `form ${n}`)
  expect(told).toHaveLength(10)
  news.reportUnshown('other', 'a form')
  expect(told.at(-1)).toBe('warning: The MCP server other asked for a form. Trestle cannot show it, so it was refused.')
})
