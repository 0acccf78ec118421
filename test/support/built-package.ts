import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

/** A package of the desktop app, built from `out/` with a stand-in for Electron. */
export interface BuiltPackage {
  /** The folder with the package and its lists. */
  output: string
  /** The unpacked folder. */
  folder: string
  /** What the build reported. */
  report: string
  remove(): void
}

/** Why no package can be built on this machine; undefined if it can. */
export function whyNoPackage(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the stand-in for Electron is one for Linux on x64'
  if (!existsSync(join(ROOT, 'node_modules', 'electron-builder'))) return 'electron-builder is not installed'
  if (!existsSync(join(ROOT, 'node_modules', 'node', 'bin', 'node'))) return 'the Node to be shipped is not installed'
  return undefined
}

/** Builds a package; `options` are electron-builder's. Takes a minute, more on a busy machine. */
export async function buildPackage(options: readonly string[]): Promise<BuiltPackage> {
  const output = mkdtempSync(join(tmpdir(), 'trestle-dist-'))
  const args = [join(ROOT, 'scripts', 'package.ts'), '--stand-in', `-c.directories.output=${output}`, ...options]
  // Good compression takes longer than everything else, and no test checks the size of the .deb.
  const env = { ...process.env, DPKG_DEB_COMPRESSOR_LEVEL: '1' }
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk))
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const report = Buffer.concat(said).toString('utf8')
  const remove = (): void => rmSync(output, { recursive: true, force: true })
  if (code !== 0) {
    remove()
    throw new Error(`The package could not be built:\n${report}`)
  }
  return { output, folder: join(output, 'linux-unpacked'), report, remove }
}
