/**
 * The machine's own minimum for a figure: figures divided by these, measured in the same run, are comparable between
 * machines.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { join } from 'node:path'
import { spawn as spawnInTerminal } from 'node-pty'
import type { Scratch } from './scratch.ts'

/** Time in ms for Node to start, run an empty script and exit. */
export function nodeStart(): Promise<number> {
  return processTime(process.execPath, ['-e', '0'])
}

/** Time in ms to start `true` and wait for its exit. */
export function processStart(): Promise<number> {
  return processTime('/bin/true', [])
}

/** Time in ms for ripgrep (the binary at `program`) to search the folder for `needle`, including reading its output. */
export function ripgrep(program: string, folder: string): Promise<number> {
  return processTime(program, ['--no-config', '-n', 'needle', './'], folder)
}

/** Time in ms for `cat` to print a file to a terminal whose bytes are written to another file, and nothing else. */
export async function terminalCopy(file: string, { folder }: Scratch): Promise<number> {
  const copy = createWriteStream(join(folder, 'terminal-copy'))
  const startedAt = performance.now()
  const terminal = spawnInTerminal('/bin/cat', [file], { encoding: null, cwd: folder })
  terminal.onData((data) => void copy.write(data))
  await new Promise((resolve) => terminal.onExit(resolve))
  copy.end()
  await finished(copy)
  return performance.now() - startedAt
}

async function processTime(program: string, args: readonly string[], cwd?: string): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], ...(cwd !== undefined && { cwd }) })
  child.stdout.resume()
  await once(child, 'close')
  return performance.now() - startedAt
}
