import { expect, it } from 'vitest'
import { portProblem } from './reserved-ports'

const PORTS = Array.from({ length: 11_000 }, (_, port) => port)

it('reports each port that fetch refuses, and what to do', async () => {
  const reserved = PORTS.filter((port) => portProblem(`http://127.0.0.1:${port}/v1`) !== undefined)
  expect(reserved).toHaveLength(83)
  for (const port of reserved.filter((each) => each > 0)) {
    const refused: unknown = await fetch(`http://127.0.0.1:${port}/`).catch((error: unknown) => error)
    expect(refused).toMatchObject({ cause: { message: 'bad port' } })
  }
  expect(portProblem('http://localhost:6000/mcp')).toBe(
    'uses port 6000, which is reserved for another protocol. Let the server listen on another port.',
  )
  for (const url of ['http://localhost:8080', 'https://host/v1', 'http://[::1]:11434', 'no address'])
    expect(portProblem(url)).toBeUndefined()
})
