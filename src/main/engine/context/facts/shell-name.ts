import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { openCacheFile } from '../../config/cache-file'
import { findShell } from '../../task/find-shell'

const VERSION_MS = 1_000

/** What a shell said of its version, and the program it was asked of. */
interface Asked {
  version: string
  mtimeMs: number
  size: number
}

let shell: Promise<string | undefined> | undefined

/** The shell commands run in, with its version, e.g. `bash 5.2.15`; asked once. Undefined where no shell was found. `home`: where the answer is kept for later processes. */
export function shellName(env: Record<string, string>, home: string): Promise<string | undefined> {
  return (shell ??= askShell(env, home))
}

/** The same without remembering it in this process. */
export async function askShell(env: Record<string, string>, home: string): Promise<string | undefined> {
  const found = findShell({ platform: process.platform, env: process.env, isFile })
  if ('error' in found) return undefined
  const name = basename(found.path).replace(/\.exe$/i, '')
  if (name !== 'bash') return name
  const version = await versionOf(found.path, env, home)
  return version === undefined ? name : `${name} ${version}`
}

/** Starting a program takes longer than all else a first request needs to know: it is done again only when the program has changed. */
async function versionOf(path: string, env: Record<string, string>, home: string): Promise<string | undefined> {
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file) return undefined
  const cache = openCacheFile(join(home, 'cache', 'shell.json'), isAsked)
  const known = cache.get(path)
  if (known?.mtimeMs === file.mtimeMs && known.size === file.size) return known.version
  const said = await new Promise<string>((resolve) => {
    const options = { env, cwd: home, timeout: VERSION_MS, windowsHide: true }
    execFile(path, ['--version'], options, (error, stdout) => resolve(error ? '' : stdout))
  })
  const version = /version (\d+(?:\.\d+)*)/.exec(said)?.[1]
  if (version !== undefined) cache.set(path, { version, mtimeMs: file.mtimeMs, size: file.size })
  return version
}

function isAsked(value: unknown): value is Asked {
  const { version, mtimeMs, size } = (value ?? {}) as Partial<Asked>
  return typeof version === 'string' && /^\d+(?:\.\d+)*$/.test(version) && typeof mtimeMs === 'number' && typeof size === 'number'
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
