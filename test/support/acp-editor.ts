import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { AcpAnswers, Wire } from './acp-client'

interface OpenTerminal {
  child: ChildProcess
  command: string
  output: string
  ended: Promise<{ exitCode: number | null; signal: string | null }>
  released: boolean
}

/** An editor's files and terminals: buffers that may be unsaved, and commands run by the editor itself. */
export interface AcpEditor {
  /** Text in the editor, by path; other files are read from disk. */
  readonly buffers: Map<string, string>
  readonly reads: string[]
  readonly writes: string[]
  readonly terminals: Map<string, OpenTerminal>
  readonly answers: AcpAnswers
  /** Ends commands that are still running. */
  close(): Promise<void>
}

export const EDITOR_CAPABILITIES = { fs: { readTextFile: true, writeTextFile: true }, terminal: true }

export function acpEditor(): AcpEditor {
  const buffers = new Map<string, string>()
  const reads: string[] = []
  const writes: string[] = []
  const terminals = new Map<string, OpenTerminal>()
  const terminal = (params: Record<string, Wire>): OpenTerminal => {
    const found = terminals.get(params['terminalId'])
    if (!found) throw new Error('no such terminal')
    return found
  }
  const exit = ({ child }: OpenTerminal) => ({ exitCode: child.exitCode, signal: child.signalCode })

  const answers: AcpAnswers = {
    'fs/read_text_file'({ path }) {
      reads.push(path)
      return { content: buffers.get(path) ?? readFileSync(path, 'utf8') }
    },
    'fs/write_text_file'({ path, content }) {
      writes.push(path)
      buffers.set(path, content)
      writeFileSync(path, content)
    },
    'terminal/create'({ command, args, cwd, env }) {
      const variables = Object.fromEntries(env.map(({ name, value }: { name: string; value: string }) => [name, value]))
      const child = spawn(command, args, {
        cwd,
        env: { ...process.env, ...variables },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      })
      const ended = once(child, 'close').then(([exitCode, signal]) => ({ exitCode, signal }))
      const open: OpenTerminal = { child, command: args.at(-1), output: '', ended, released: false }
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (data: Buffer) => (open.output += data.toString('utf8')))
      const terminalId = `term-${terminals.size + 1}`
      terminals.set(terminalId, open)
      return { terminalId }
    },
    'terminal/output'(params) {
      const open = terminal(params)
      return { output: open.output, truncated: false, ...(open.child.exitCode !== null && { exitStatus: exit(open) }) }
    },
    'terminal/wait_for_exit': (params) => terminal(params).ended,
    async 'terminal/kill'(params) {
      const open = terminal(params)
      if (open.child.exitCode === null && open.child.signalCode === null) process.kill(-open.child.pid!, 'SIGKILL')
    },
    'terminal/release'(params) {
      terminal(params).released = true
    },
  }
  return {
    buffers,
    reads,
    writes,
    terminals,
    answers,
    async close() {
      for (const { child, ended } of terminals.values()) {
        if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL')
        await ended
      }
    },
  }
}
