import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { errorText } from '../../../../shared/error-text'
import { CodedError } from '../../../../shared/errors'
import { spawnedOrThrow } from '../../process/spawn'
import { packagedRuntime, plainNode, programRoot } from '../../runtime/plain-node'

/** A part of the bundle that is copied to a place, identified by its content. */
export interface BundlePart {
  /** `app-<16 hex digits>` or `node-<16 hex digits>`. */
  name: string
  version: string
  /** Unpacked size in bytes. */
  bytes: number
  /** Packs it, once for each version of its content; returns the archive with its SHA-256. */
  archive(): Promise<{ path: string; bytes: number; sha256: string }>
}

/** This version of Trestle with its Node, which can be copied to a machine of the same kind. */
export interface Bundle {
  app: BundlePart
  node: BundlePart
}

/** The folder with `out`, `resources`, `node_modules` and `package.json` that this code runs from. */
export function appFolder(): string {
  const packaged = packagedRuntime()
  if (packaged) return packaged.app
  return programRoot()
}

const { platform, arch } = process
/** The files of each package that are needed at run time; the rest is for building it, or for other systems. */
const PACKAGES: readonly (readonly [name: string, wanted: RegExp])[] = [
  ['better-sqlite3', new RegExp(`^(?:lib/|prebuilds/${platform}-${arch}\\.node$)`)],
  ['node-pty', new RegExp(`^(?:lib/(?!.*\\.test\\.js$)|build/Release/[^/]+$|prebuilds/${platform}-${arch}/)`)],
  ['@vscode/ripgrep', /./],
  [`@vscode/ripgrep-${platform}-${arch}`, /./],
  ['@napi-rs/keyring', /^[^/]+$/],
  [`@napi-rs/keyring-${platform}-${arch}-gnu`, /./],
  [`@napi-rs/keyring-${platform}-${arch}`, /./],
  ['sharp', /^(?:lib|dist)\//],
  ['@img/colour', /./],
  [`@img/sharp-${platform}-${arch}`, /./],
  [`@img/sharp-libvips-${platform}-${arch}`, /./],
  ['detect-libc', /./],
  ['semver', /./],
  ['tree-sitter-bash', /\.wasm$/],
  ['web-tree-sitter', /^[^/]+\.(?:js|cjs|mjs|wasm)$/],
  ['pdfjs-dist', /^(?:cmaps|standard_fonts)\//],
]

/** The bundle of this installation. Its hashes are cached until a file changes. */
export async function openBundle(home: string, version: string): Promise<Bundle> {
  const folder = appFolder()
  const node = plainNode()
  if (!existsSync(join(folder, 'out', 'main', 'cli.js')))
    throw new CodedError('place.copy_failed', 'This Trestle is not built, so it cannot be copied. Run npm run build.')
  const cache = join(home, 'cache', 'bundles')
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const known = readKnown(cache)
  const files = await filesOfApp(folder)
  const app = await describePart('app', folder, files, known)
  const nodePart = await describePart(
    'node',
    dirname(node),
    [await fileAt(dirname(node), node.slice(dirname(node).length + 1))],
    known,
  )
  writeFileSync(join(cache, 'known.json'), JSON.stringify(known), { mode: 0o600 })
  const part = ({ name, bytes, from, list }: Described): BundlePart => ({
    name,
    bytes,
    version,
    archive: () => pack(cache, name, from, list),
  })
  return { app: part(app), node: part(nodePart) }
}

interface FileFact {
  /** Path below the folder, with `/`. */
  name: string
  bytes: number
  mtimeMs: number
}

interface Described {
  name: string
  bytes: number
  from: string
  list: string[]
}

type Known = Record<string, { facts: string; hash: string }>

function readKnown(cache: string): Known {
  try {
    return JSON.parse(readFileSync(join(cache, 'known.json'), 'utf8')) as Known
  } catch {
    return {}
  }
}

/** Its hash covers names and contents; the files are read only if one has changed. */
async function describePart(kind: string, from: string, files: readonly FileFact[], known: Known): Promise<Described> {
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const facts = createHash('sha256')
    .update(JSON.stringify([from, sorted]))
    .digest('hex')
  const slot = `${kind} ${from}`
  let hash = known[slot]?.facts === facts ? known[slot].hash : undefined
  if (hash === undefined) {
    const whole = createHash('sha256')
    for (const { name } of sorted) {
      whole.update(`${name}\0`)
      const one = createHash('sha256')
      await pipeline(createReadStream(join(from, name)), one)
      whole.update(one.digest())
    }
    hash = whole.digest('hex').slice(0, 16)
    known[slot] = { facts, hash }
  }
  const bytes = sorted.reduce((sum, file) => sum + file.bytes, 0)
  return { name: `${kind}-${hash}`, bytes, from, list: sorted.map(({ name }) => name) }
}

async function filesOfApp(folder: string): Promise<FileFact[]> {
  const files = [await fileAt(folder, 'package.json')]
  const add = async (below: string, wanted: (path: string) => boolean): Promise<void> => {
    const entries = await readdir(join(folder, below), { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/')
      if (!entry.isDirectory() && wanted(path.slice(below.length + 1))) files.push(await fileAt(folder, path))
    }
  }
  await add('out/main', (path) => !path.endsWith('.map'))
  await add('resources', (path) => !path.startsWith('bin/'))
  for (const [name, wanted] of PACKAGES)
    await add(
      `node_modules/${name}`,
      (path) => path === 'package.json' || /^LICEN[CS]E/i.test(path) || wanted.test(path),
    )
  return files
}

async function fileAt(folder: string, name: string): Promise<FileFact> {
  const { size, mtimeMs } = await stat(join(folder, name))
  return { name, bytes: size, mtimeMs }
}

/** Packs the files, unless they are packed already. */
async function pack(
  cache: string,
  name: string,
  from: string,
  list: readonly string[],
): Promise<{ path: string; bytes: number; sha256: string }> {
  const path = join(cache, `${name}.tgz`)
  if (!existsSync(path)) {
    const part = `${path}.${process.pid}`
    const child = spawnedOrThrow(
      spawn('tar', ['-chf', '-', '-C', from, '-T', '-'], { stdio: ['pipe', 'pipe', 'pipe'] }),
    )
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-4000)))
    const ended = new Promise<number>((resolve) => {
      child.once('error', () => resolve(127))
      child.once('close', (code) => resolve(code ?? 1))
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(list.map((file) => `${file}\n`).join(''))
    try {
      await pipeline(child.stdout, createGzip({ level: 1 }), createWriteStream(part, { mode: 0o600 }))
      if ((await ended) !== 0) throw new Error(errors.trim() || 'tar is not installed')
      await rename(part, path)
    } catch (error) {
      await rm(part, { force: true })
      throw new CodedError('place.copy_failed', `What is copied could not be packed: ${errorText(error)}`, {
        cause: error,
      })
    }
  }
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return { path, bytes: (await stat(path)).size, sha256: hash.digest('hex') }
}
