import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join, posix, sep } from 'node:path'
import type { PackageEntry, PackageTree } from './package-tree.ts'
import { shippedPackages } from '../licenses/third-party-licenses.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** Files that must exist, below app.asar or app.asar.unpacked, in addition to those of resources/. */
const EXPECTED = [
  'package.json',
  'out/main/index.js',
  'out/main/cli.js',
  'out/main/task-host.js',
  'out/main/article-worker.js',
  'out/main/mail-html-worker.js',
  'out/main/backup-worker.js',
  'out/main/pdf-worker.js',
  'out/preload/index.cjs',
  'out/renderer/index.html',
  'out/renderer/licenses/LICENSE.txt',
  'out/renderer/licenses/NOTICE.txt',
  'out/renderer/licenses/third-party-licenses.txt',
  'out/icons/tray/trayTemplate.png',
  'out/icons/tray/tray.png',
  'node_modules/tree-sitter-bash/tree-sitter-bash.wasm',
  'node_modules/web-tree-sitter/web-tree-sitter.wasm',
  'node_modules/@devcontainers/cli/dist/spec-node/devContainersSpecCLI.js',
  'node_modules/pdfjs-dist/cmaps/Adobe-Japan1-UCS2.bcmap',
]
/** Files that plain Node must read: it cannot read the archive. */
const OUTSIDE_ARCHIVE = /^(?:package\.json$|out\/main\/|resources\/|node_modules\/)/
const ALLOWED = /^(?:package\.json|out\/(?:main|preload|renderer|icons)\/|resources\/|node_modules\/)/

/** An entry's path in the app (`out/main/cli.js`), wherever it is stored; undefined for files outside the app. */
export function appPath({ path }: PackageEntry): string | undefined {
  return /(?:^|\/)app\.asar(?:\.unpacked)?\/(.+)$/.exec(path)?.[1]
}

/** Reports missing and unexpected files. */
export function expectedFiles(tree: PackageTree): string[] {
  const files = new Map<string, PackageEntry>()
  const problems: string[] = []
  const names = new Set(
    shippedPackages().map((folder) =>
      folder
        .split(sep)
        .join('/')
        .replace(/^.*\/node_modules\//, ''),
    ),
  )
  for (const entry of tree.entries) {
    const path = appPath(entry)
    if (path === undefined || entry.kind === 'folder') continue
    files.set(path, entry)
    if (!ALLOWED.test(path)) problems.push(`${path} does not belong in the package`)
    if (OUTSIDE_ARCHIVE.test(path) && entry.inArchive)
      problems.push(`${path} is inside the archive, where plain Node cannot read it`)
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]
    if (name !== undefined && !names.has(name)) problems.push(`${path}: the package ${name} is not needed at run time`)
  }
  for (const path of EXPECTED) if (!files.has(path)) problems.push(`${path} is missing`)
  const shippedAs = tree.resources.split(sep).at(-1)
  const node = tree.platform === 'win32' ? 'trestle-node.exe' : 'trestle-node'
  for (const name of [`bin/${node}`, 'LICENSE.txt', 'NOTICE.txt', 'third-party-licenses.txt']) {
    if (!tree.entries.some(({ path, kind }) => kind === 'file' && path.endsWith(`${shippedAs}/${name}`)))
      problems.push(`resources/${name} is missing`)
  }
  return problems
}

/**
 * Every file of the repository's resources/ must exist unchanged: skills, agents, model tables, and the programs in
 * bin/.
 */
export function resourcesComplete(tree: PackageTree): string[] {
  const found = new Map(tree.entries.filter(({ kind }) => kind === 'file').map((entry) => [entry.path, entry]))
  const base = posix.relative(slashed(tree.folder), slashed(tree.resources))
  return globSync('resources/**/*', { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const path = slashed(join(entry.parentPath, entry.name)).slice(slashed(ROOT).length + 1)
      const place = path.startsWith('resources/bin/') ? path.slice('resources/'.length) : `app.asar.unpacked/${path}`
      const packed = found.get(`${base}/${place}`)
      if (!packed) return [`${path} is missing`]
      return digest(tree.read(packed)) === digest(readFileSync(join(ROOT, path)))
        ? []
        : [`${path} differs from the repository's`]
    })
}

/** Source maps would reveal the sources and the paths of the machine that built them. */
export function noSourceMaps(tree: PackageTree): string[] {
  return tree.entries.flatMap((entry) => {
    if (entry.kind !== 'file') return []
    if (/\.(?:map|tsbuildinfo)$/.test(entry.path)) return [`${entry.path} is a source map`]
    if (appPath(entry)?.startsWith('out/') !== true || !/\.[cm]?js$/.test(entry.path)) return []
    return /^\/\/# sourceMappingURL=data:/m.test(tree.read(entry).toString('utf8'))
      ? [`${entry.path} contains its source map`]
      : []
  })
}

/** A link must only point to something inside the package. */
export function linksStayInside(tree: PackageTree): string[] {
  return tree.entries.flatMap(({ kind, path, target }) => {
    if (kind !== 'link' || target === undefined) return []
    const leads = posix.normalize(posix.join(dirname(path), slashed(target)))
    return isAbsolute(target) || leads.startsWith('..')
      ? [`${path} is a link that leads outside the package: ${target}`]
      : []
  })
}

/** No name may point elsewhere when the package is unpacked. */
export function noUpwardPaths(tree: PackageTree): string[] {
  return tree.entries.flatMap(({ path }) =>
    path.split('/').some((part) => part === '..' || part === '' || /[\\\0]/.test(part))
      ? [`${JSON.stringify(path)} leads out of its folder`]
      : [],
  )
}

/** Neither the package nor what Trestle adds to Electron may grow unnoticed. */
export function sizeLimit(tree: PackageTree, limitMb: number): string[] {
  const base = posix.relative(slashed(tree.folder), slashed(tree.resources))
  const bytes = tree.entries
    .filter(({ kind, path, inArchive }) => kind === 'file' && !inArchive && path.startsWith(`${base}/`))
    .reduce((sum, entry) => sum + entry.bytes, 0)
  const megabytes = Math.ceil(bytes / 1_000_000)
  return megabytes > limitMb ? [`resources takes ${megabytes} MB; the limit is ${limitMb} MB`] : []
}

function digest(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

function slashed(path: string): string {
  return path.split(sep).join('/')
}
