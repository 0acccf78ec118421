import { spawn } from 'node:child_process'
import { startedChild } from '../../task/started-child'

/** What a program prints, piece by piece. */
export interface ProgramOutput {
  output(chunk: Buffer): void
  errors(chunk: Buffer): void
}

export interface RunningProgram {
  /** SIGKILL; harmless when it has ended. */
  kill(): void
  /** The exit code once it is gone and all its output has been handed on; undefined when a signal ended it. Rejects when it could not be started. */
  ended: Promise<number | undefined>
}

/** Starts a program directly: no shell, no input, nothing of our environment. */
export function startProgram(program: string, args: readonly string[], cwd: string, into: ProgramOutput): RunningProgram {
  const child = startedChild(spawn(program, args, { cwd, env: minimalEnv(), stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true }))
  child.stdout.on('data', into.output)
  child.stderr.on('data', into.errors)
  const ended = new Promise<number | undefined>((resolve, reject) => {
    child.once('error', (error) => {
      if (child.pid === undefined) reject(error)
    })
    child.once('close', (code) => {
      if (child.pid !== undefined) resolve(code ?? undefined)
    })
  })
  return { kill: () => void child.kill('SIGKILL'), ended }
}

/** Nothing of ours is passed on but what Windows needs to start a program at all. */
export function minimalEnv(): NodeJS.ProcessEnv {
  const root = process.platform === 'win32' ? process.env['SystemRoot'] : undefined
  return root === undefined ? {} : { SystemRoot: root }
}
