import { spawn } from 'node:child_process'
import { plainNode } from '../../runtime/plain-node'
import { programFile } from '../../runtime/program-file'
import { startedChild } from '../../task/started-child'

export interface KeyStoreAnswer {
  /** Base64; absent: the key store has no key yet. */
  key?: string
  /** Why the key store could not be asked; not a whole sentence. */
  problem?: string
}

/** Asks the key store of the system for the key, and with `make` makes one if it has none yet. Never rejects, and answers within `limitMs`. */
export type AskKeyStore = (action: 'get' | 'make', limitMs: number) => Promise<KeyStoreAnswer>

/** Asks in a process of its own, which is ended when the time is up. */
export function askInProcess(program: () => readonly string[] = keyStoreProgram): AskKeyStore {
  return (action, limitMs) =>
    new Promise((resolve) => {
      let printed = ''
      let child
      try {
        const [command = '', ...args] = program()
        child = startedChild(
          spawn(command, [...args, action], { env: process.env, stdio: ['ignore', 'pipe', 'ignore'], windowsHide: true }),
        )
      } catch (error) {
        return resolve({ problem: `it could not be asked (${error instanceof Error ? error.message : String(error)})` })
      }
      const limit = setTimeout(() => {
        child.kill('SIGKILL')
        resolve({ problem: `it did not answer within ${Math.round(limitMs / 1000)} s` })
      }, limitMs)
      child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString('utf8')))
      child.once('error', (error) => {
        clearTimeout(limit)
        resolve({ problem: `it could not be asked (${error.message})` })
      })
      child.once('close', (code) => {
        clearTimeout(limit)
        resolve(answerIn(printed) ?? { problem: `the program that asks it ended with ${code ?? 'a signal'}` })
      })
    })
}

function answerIn(printed: string): KeyStoreAnswer | undefined {
  try {
    const { key, problem } = JSON.parse(printed) as Record<string, unknown>
    if (typeof key === 'string') return { key }
    return typeof problem === 'string' ? { problem } : {}
  } catch {
    return undefined
  }
}

/** The program that asks the key store, and its arguments; on a plain Node, since Electron's binary is none. */
export function keyStoreProgram(): string[] {
  const options = import.meta.filename.endsWith('.ts') ? process.execArgv : []
  return [plainNode(), ...options, programFile(import.meta.url, './key-store-process.ts')]
}
