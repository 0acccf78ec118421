import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync, type Dirent } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { CodedError } from '../../../shared/errors'
import { isGitAddress, type PluginSource } from '../../../shared/model/app/plugin'
import { checkPath, checkSize, PLUGIN_LIMITS, pluginContent, readPluginFolder, refuse } from './plugin-files'
import type { PluginContent, PluginFile } from './plugin-files'
import { errorCode } from '../../../shared/error-text'
import { spawnedOrThrow } from '../process/spawn'

/** The files of a plugin, and where they came from. */
export interface FetchedPlugin {
  content: PluginContent
  source: PluginSource
}

const TIME_LIMIT_MS = 120_000
/** More than a plugin with a history of one commit needs. */
const MAX_FETCHED_BYTES = 64 * 1024 * 1024
const MAX_LISTING_BYTES = 1024 * 1024
const WATCH_MS = 250

/**
 * Reads a plugin from a folder or a repository (`ADDRESS#branch`). Throws `plugin.source` or `plugin.refused`. `env`:
 * the environment for git. A repository is never checked out: its files are read from git's object store, so that none
 * of its hooks, filters, submodules or settings can take effect.
 */
export async function fetchPlugin(
  given: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FetchedPlugin> {
  const from = given.trim()
  if (isGitAddress(from)) return fetchRepository(from, env)
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/|ext::|[a-z]+::)/i.test(from))
    throw new CodedError(
      'plugin.source',
      `${from} is not an address that plugins can be fetched from: use https, ssh or a folder.`,
    )
  const path = from.startsWith('~/') ? join(homedir(), from.slice(2)) : resolve(from)
  let folder: string
  try {
    folder = realpathSync(path)
  } catch {
    throw new CodedError('plugin.source', `There is no folder ${path}.`)
  }
  if (!statSync(folder).isDirectory()) throw new CodedError('plugin.source', `${path} is not a folder.`)
  return { content: readPluginFolder(folder), source: { kind: 'path', from: folder } }
}

async function fetchRepository(
  from: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FetchedPlugin> {
  const [address, ref] = splitRef(from.replace(/^git\+ssh:/i, 'ssh:'))
  if (ref !== undefined && !/^[\w][\w./-]*$/.test(ref))
    refuse(`${JSON.stringify(ref)} is not a name of a branch or tag.`)
  if (/[\p{Cc}\s]/u.test(address)) refuse('The address has a character that is not allowed.')
  const folder = mkdtempSync(join(tmpdir(), 'trestle-plugin-'))
  const git = (args: readonly string[], limits: { bytes?: number; input?: string } = {}): Promise<Buffer> =>
    runGit(args, { folder, env: gitEnv(env), bytes: limits.bytes ?? MAX_LISTING_BYTES, input: limits.input ?? '' })
  try {
    await git(['init', '--quiet', '--bare', '--template=', '.'])
    await git([
      'fetch',
      '--quiet',
      '--depth=1',
      '--no-tags',
      '--no-recurse-submodules',
      '--no-write-fetch-head',
      '--filter=blob:limit=1m',
      '--',
      address,
      `+${ref ?? 'HEAD'}:refs/trestle/plugin`,
    ])
    const commit = (await git(['rev-parse', '--verify', 'refs/trestle/plugin^{commit}'])).toString().trim()
    const entries = listed(await git(['ls-tree', '-r', '-z', '-l', '--full-tree', commit]))
    const total = entries.reduce((sum, { size }) => sum + size, 0)
    if (total > PLUGIN_LIMITS.totalBytes)
      refuse(`Its files have more than ${PLUGIN_LIMITS.totalBytes / 1024 / 1024} MB together.`)
    const input = entries.map(({ id }) => `${id}\n`).join('')
    const bytes = await git(['cat-file', '--batch'], { bytes: total + entries.length * 128 + 1024, input })
    const content = pluginContent(withBytes(entries, bytes))
    return { content, source: { kind: 'git', from: address, ...(ref !== undefined && { ref }), commit } }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function splitRef(from: string): [string, string?] {
  const at = from.lastIndexOf('#')
  return at < 0 ? [from] : [from.slice(0, at), from.slice(at + 1)]
}

interface Entry {
  path: string
  id: string
  size: number
  isExecutable: boolean
}

/**
 * Parses `git ls-tree -r -z -l`. Refuses anything but regular files, and too many or too large ones, before reading
 * any.
 */
function listed(output: Buffer): Entry[] {
  const lines = output
    .toString('utf8')
    .split('\0')
    .filter((line) => line !== '')
  if (lines.length > PLUGIN_LIMITS.files)
    refuse(`It has ${lines.length} files; at most ${PLUGIN_LIMITS.files} are allowed.`)
  return lines.map((line) => {
    const [, mode, kind, id = '', size, path = ''] = /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t([^]*)$/.exec(line) ?? []
    checkPath(path)
    if (mode === '120000') refuse(`${path} is a symbolic link. A plugin consists of plain files only.`)
    if (kind !== 'blob') refuse(`${path} is a submodule. A plugin consists of plain files only.`)
    if (size === '-' || size === undefined) refuse(`${path} is too large.`)
    checkSize(path, Number(size))
    return { path, id, size: Number(size), isExecutable: mode === '100755' }
  })
}

/** Parses `git cat-file --batch`: a line with id, type and size, the bytes, and a line break. */
function withBytes(entries: readonly Entry[], output: Buffer): PluginFile[] {
  let at = 0
  return entries.map(({ path, id, size, isExecutable }) => {
    const head = `${id} blob ${size}\n`
    if (output.subarray(at, at + head.length).toString('latin1') !== head)
      refuse(`${path} could not be read from the repository.`)
    at += head.length
    const bytes = Buffer.from(output.subarray(at, at + size))
    at += size + 1
    return { path, bytes, isExecutable }
  })
}

/**
 * Uses the user's own Git settings, for sign-ins and proxies, but nothing that would redirect git or make it run
 * programs.
 */
function gitEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const own = Object.entries(env).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || /^(?:GIT_|TRESTLE_)/i.test(name)) return []
    return [[name, name.toUpperCase() === 'PATH' ? value.split(delimiter).filter(isAbsolute).join(delimiter) : value]]
  })
  return {
    ...Object.fromEntries(own),
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ALLOW_PROTOCOL: 'https:ssh:file',
    LC_ALL: 'C.UTF-8',
  }
}

const HARMLESS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'transfer.fsckObjects=true',
  'gc.auto=0',
  'maintenance.auto=false',
  'protocol.version=2',
  'core.askPass=',
  'fetch.bundleURI=',
  'transfer.bundleURI=false',
].flatMap((setting) => ['-c', setting])

interface GitRun {
  folder: string
  env: Record<string, string>
  /** Maximum output in bytes. */
  bytes: number
  input: string
}

function runGit(args: readonly string[], { folder, env, bytes, input }: GitRun): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawnedOrThrow(
      spawn('git', [...HARMLESS, '--git-dir=.', ...args], { cwd: folder, env, stdio: 'pipe', windowsHide: true }),
    )
    const chunks: Buffer[] = []
    let printed = 0
    let errors = ''
    let problem: string | undefined
    const stop = (why: string): void => {
      problem ??= why
      child.kill('SIGKILL')
    }
    const limit = setTimeout(() => stop(`Git took longer than ${TIME_LIMIT_MS / 1000} seconds.`), TIME_LIMIT_MS)
    const watch = setInterval(() => {
      if (sizeOf(folder) > MAX_FETCHED_BYTES)
        stop(`The repository is larger than ${MAX_FETCHED_BYTES / 1024 / 1024} MB.`)
    }, WATCH_MS)
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.length
      if (printed > bytes) stop('The repository has more files than a plugin may have.')
      else chunks.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString('utf8')).slice(-2_000)))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const done = (code: number | null, failure?: Error): void => {
      clearTimeout(limit)
      clearInterval(watch)
      if (code === 0 && problem === undefined) return resolve(Buffer.concat(chunks))
      const missing = errorCode(failure) === 'ENOENT'
      const why = problem ?? (missing ? 'Git is not installed.' : failure?.message) ?? lastLines(errors)
      reject(new CodedError('plugin.source', why))
    }
    child.once('error', (error) => done(null, error))
    child.once('close', (code) => done(code))
  })
}

function lastLines(errors: string): string {
  const lines = errors
    .trim()
    .split('\n')
    .slice(-4)
    .map((line) => line.trim())
  return `Git failed: ${lines.join(' ') || 'it gave no reason.'}`
}

/** Size of all files below a folder; files and folders that disappear during the scan are ignored. */
export function sizeOf(folder: string): number {
  let entries: Dirent[]
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    return 0
  }
  return entries
    .map((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? sizeOf(path) : (statSync(path, { throwIfNoEntry: false })?.size ?? 0)
    })
    .reduce((sum, size) => sum + size, 0)
}
