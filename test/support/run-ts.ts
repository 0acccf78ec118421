import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const HOOKS = new URL('./ts-hooks.mjs', import.meta.url).href

export interface RunningScript {
  child: ChildProcess
  /** Complete lines of stdout so far. */
  lines: string[]
  /** Waits for a line of stdout that starts with `text`; fails if the script ends first. */
  line(text: string): Promise<string>
  /** Sends one line to the script's stdin. */
  send(text: string): void
  /** Ends it with SIGKILL (if it is still running) and waits until it has exited. */
  kill(): Promise<void>
  /** How it exited; stderr if it failed. */
  done: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>
}

/**
 * Starts a TypeScript file in a separate process, with the Node that runs the test. Path relative to `test/support`.
 */
export function runTs(script: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): RunningScript {
  const file = fileURLToPath(new URL(script, import.meta.url))
  const child = spawn(process.execPath, ['--import', HOOKS, file, ...args], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  let rest = ''
  let stderr = ''
  const watchers = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const pieces = (rest + text).split('\n')
    rest = pieces.pop() ?? ''
    lines.push(...pieces)
    for (const watcher of watchers) watcher()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin.on('error', () => {
    // The script ended before it read everything; `done` reports how.
  })
  const done = once(child, 'close').then(() => ({ code: child.exitCode, signal: child.signalCode, stderr }))
  return {
    child,
    lines,
    done,
    async line(text) {
      const found = new Promise<string>((resolve) => {
        const look = (): void => {
          const line = lines.find((candidate) => candidate.startsWith(text))
          if (line === undefined) return
          watchers.delete(look)
          resolve(line)
        }
        watchers.add(look)
        look()
      })
      const ended = done.then((end) => {
        throw new Error(`${script} ended (${end.code ?? end.signal}) without a line "${text}":\n${end.stderr}`)
      })
      return Promise.race([found, ended])
    },
    send: (text) => void child.stdin.write(`${text}\n`),
    async kill() {
      child.kill('SIGKILL')
      await done
    },
  }
}
