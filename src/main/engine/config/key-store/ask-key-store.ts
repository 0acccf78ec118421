import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startedChild } from '../../task/started-child'

/** A program that runs JavaScript files as plain Node does, with the file it is to run. */
export interface NodeProgram {
  program: readonly string[]
  env?: Record<string, string>
}

export interface KeyStoreAnswer {
  /** Base64; absent: the key store has no key yet. */
  key?: string
  /** Why the key store could not be asked; not a whole sentence. */
  problem?: string
}

/** Asks the key store of the system for the key, and with `make` makes one if it has none yet. Never rejects, and answers within `limitMs`. */
export type AskKeyStore = (action: 'get' | 'make', limitMs: number) => Promise<KeyStoreAnswer>

/** Asks in a process of its own, which is ended when the time is up. */
export function askInProcess({ program: [command = '', ...args], env = {} }: NodeProgram): AskKeyStore {
  return (action, limitMs) =>
    new Promise((resolve) => {
      let printed = ''
      let child
      try {
        child = startedChild(
          spawn(command, [...args, action], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'], windowsHide: true }),
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

/**
 * The program that asks the key store. `host`: how another of our programs is started here. From the sources it stands in this folder; in the built program beside that other
 * one, or beside the entries, with this code in one of them or in a chunk.
 */
export function keyStoreProgram(host: NodeProgram | undefined): NodeProgram {
  const [node = process.execPath, ...rest] = host?.program ?? []
  const env = host?.env ?? {}
  if (import.meta.filename.endsWith('.ts'))
    return { program: [node, ...process.execArgv, join(import.meta.dirname, 'key-store-process.ts')], env }
  const beside = join(dirname(rest.at(-1) ?? ''), 'key-store.js')
  const own = join(import.meta.dirname.replace(/([\\/])chunks$/, ''), 'key-store.js')
  return { program: [node, rest.length > 0 && existsSync(beside) ? beside : own], env }
}
