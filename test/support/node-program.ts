import { fileURLToPath } from 'node:url'

const CACHE = new URL('./compile-cache.mjs', import.meta.url).href

/** The command of a program in this folder, or at a path, which from its second start on starts in half the time. */
export function nodeProgram(program: string): [command: string, ...args: string[]] {
  return [process.execPath, '--no-warnings', '--import', CACHE, fileURLToPath(new URL(program, import.meta.url))]
}
