import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { nodeProgram } from './node-program'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/programs', import.meta.url))

/**
 * The command of a program in this folder, or at a path, bundled into one file with its packages: a program that loads
 * hundreds of files of packages then starts in 40% of the processor time. For programs that a test starts a dozen
 * times, because bundling takes as long as three starts.
 */
export async function bundledProgram(program: string): Promise<[command: string, ...args: string[]]> {
  const name = `${basename(program, extname(program))}.mjs`
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(join(CACHE, 'new-'))
  try {
    await build({
      configFile: false,
      logLevel: 'error',
      build: {
        ssr: fileURLToPath(new URL(program, import.meta.url)),
        outDir: folder,
        minify: false,
        rolldownOptions: { output: { codeSplitting: false, entryFileNames: name } },
      },
      ssr: { noExternal: true },
    })
    // Always the same path, where Node finds the code it compiled for an earlier run.
    renameSync(join(folder, name), join(CACHE, name))
  } finally {
    rmSync(folder, { recursive: true })
  }
  return nodeProgram(join(CACHE, name))
}
