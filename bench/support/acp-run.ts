/** Runs the built program as an editor's agent against a scripted model and records timestamps. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startServer, type Answer, type Arrival } from './model-server.ts'
import { configure, makeScratch } from './scratch.ts'

const CLI = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')

export interface AcpRun {
  arrivals: Arrival[]
  /** Number of updates the client received. */
  updates: number
}

export async function acpRun({ answers }: { answers: (n: number) => Answer | undefined }): Promise<AcpRun> {
  const scratch = makeScratch()
  const server = await startServer(answers)
  configure(scratch.home, server.baseUrl)
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [CLI, 'acp'], {
    env: { PATH, HOME, TRESTLE_KEY_STORE: 'file', TRESTLE_HOME: scratch.home },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const waiting = new Map<number, (result: { sessionId: string }) => void>()
  let [updates, nextId] = [0, 1]
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('"session/update"')) {
      updates += 1
      return
    }
    const message = JSON.parse(line) as { id: number; result?: { sessionId: string }; error?: { message: string } }
    if (!message.result) throw new Error(`acp answered: ${line}`)
    waiting.get(message.id)?.(message.result)
  })
  const request = (method: string, params: object): Promise<{ sessionId: string }> => {
    const id = nextId++
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return new Promise((resolve) => waiting.set(id, resolve))
  }
  try {
    await request('initialize', { protocolVersion: 1 })
    const { sessionId } = await request('session/new', { cwd: scratch.project, mcpServers: [] })
    await request('session/set_mode', { sessionId, modeId: 'auto' })
    await request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Do what the script says.' }] })
    return { arrivals: server.arrivals, updates }
  } finally {
    child.stdin.end()
    await ended
    await server.close()
    scratch.remove()
  }
}
