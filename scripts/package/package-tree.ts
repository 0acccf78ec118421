import { createHash } from 'node:crypto'
import { closeSync, existsSync, lstatSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { binaryTarget } from './binary-target.ts'

/** A file, folder or link of a package. */
export interface PackageEntry {
  /** Path in the package, with `/`; `…/app.asar/…` for a file in the archive. */
  path: string
  kind: 'file' | 'folder' | 'link'
  bytes: number
  /** Permission bits; undefined inside the archive. */
  mode?: number
  /** The target of a link, as written. */
  target?: string
  inArchive: boolean
}

/** An unpacked package: the folder that electron-builder creates with `--dir`, or what an installer has installed. */
export interface PackageTree {
  folder: string
  platform: 'linux' | 'darwin' | 'win32'
  arch: string
  /** Absolute path of Electron's program. */
  program: string
  /** Absolute path of the folder `resources`. */
  resources: string
  entries: PackageEntry[]
  /** Reads an entry; throws if it is not a file. */
  read(entry: PackageEntry): Buffer
}

interface ArchiveNode {
  files?: Record<string, ArchiveNode>
  size?: number
  /** The offset of the file, from the end of the header. */
  offset?: string
  link?: string
  unpacked?: boolean
}

/** Lists the files of a package, on disk and in its archive. Throws if the folder is not a package of Trestle. */
export function readPackageTree(folder: string): PackageTree {
  const place = placeOf(folder)
  const archive = join(place.resources, 'app.asar')
  const archivePath = slashed(relative(folder, archive))
  // Not with @electron/asar: it rejects an archive with invalid names as a whole, without reporting the rest.
  const { header, start } = readHeader(archive)
  const offsets = new Map<string, number>()
  const entries = [...onDisk(folder, folder), ...inArchive(header, archivePath, offsets)]
  return {
    folder,
    ...place,
    entries,
    read: ({ path, inArchive: packed, bytes }) =>
      packed ? readPart(archive, start + (offsets.get(path) ?? 0), bytes) : readFileSync(join(folder, path)),
  }
}

/** The header of an archive: JSON after four sizes. */
function readHeader(archive: string): { header: ArchiveNode; start: number } {
  const sizes = readPart(archive, 0, 16)
  const json = readPart(archive, 16, sizes.readUInt32LE(12)).toString('utf8')
  return { header: JSON.parse(json) as ArchiveNode, start: 8 + sizes.readUInt32LE(4) }
}

function readPart(file: string, from: number, bytes: number): Buffer {
  const part = Buffer.alloc(bytes)
  const descriptor = openSync(file, 'r')
  try {
    return part.subarray(0, readSync(descriptor, part, 0, bytes, from))
  } finally {
    closeSync(descriptor)
  }
}

function placeOf(folder: string): Pick<PackageTree, 'platform' | 'arch' | 'program' | 'resources'> {
  const places = [
    { platform: 'darwin', program: 'Contents/MacOS/Trestle', resources: 'Contents/Resources', node: 'trestle-node' },
    { platform: 'win32', program: 'Trestle.exe', resources: 'resources', node: 'trestle-node.exe' },
    { platform: 'linux', program: 'trestle', resources: 'resources', node: 'trestle-node' },
  ] as const
  const found = places.find(({ program }) => existsSync(join(folder, program)))
  if (!found) throw new Error(`${folder} is not a package of Trestle: it has no program.`)
  const { platform, program, resources, node } = found
  const target = binaryTarget(join(folder, resources, 'bin', node))
  return {
    platform,
    arch: target?.arch ?? 'unknown',
    program: join(folder, program),
    resources: join(folder, resources),
  }
}

function onDisk(top: string, folder: string): PackageEntry[] {
  return readdirSync(folder)
    .toSorted()
    .flatMap((name): PackageEntry[] => {
      const path = join(folder, name)
      const stat = lstatSync(path)
      const entry = { path: slashed(relative(top, path)), bytes: stat.size, mode: stat.mode & 0o7777, inArchive: false }
      if (stat.isSymbolicLink()) return [{ ...entry, kind: 'link', target: readlinkSync(path) }]
      if (stat.isDirectory()) return [{ ...entry, kind: 'folder', bytes: 0 }, ...onDisk(top, path)]
      return [{ ...entry, kind: 'file' }]
    })
}

/** Files stored beside the archive (`unpacked`) are read from disk. */
function inArchive(node: ArchiveNode, path: string, offsets: Map<string, number>): PackageEntry[] {
  return Object.entries(node.files ?? {}).flatMap(([name, child]): PackageEntry[] => {
    const entry = { path: `${path}/${name}`, bytes: child.size ?? 0, inArchive: true }
    if (child.link !== undefined) return [{ ...entry, kind: 'link', target: child.link }]
    if (child.files) return [{ ...entry, kind: 'folder' }, ...inArchive(child, entry.path, offsets)]
    if (child.unpacked === true) return []
    offsets.set(entry.path, Number(child.offset))
    return [{ ...entry, kind: 'file' }]
  })
}

/** One line per file: path, size and SHA-256. Two builds of the same sources give the same list. */
export function fileList(tree: PackageTree): string {
  const lines = tree.entries
    .filter(({ kind }) => kind !== 'folder')
    .map((entry) => {
      const digest =
        entry.kind === 'link' ? `-> ${entry.target}` : createHash('sha256').update(tree.read(entry)).digest('hex')
      return `${entry.path}\t${entry.bytes}\t${digest}`
    })
  return `${lines.toSorted().join('\n')}\n`
}

/** The sizes in bytes of a package's large parts, largest first. */
export function sizes(tree: PackageTree): [part: string, bytes: number][] {
  const sums = new Map<string, number>()
  for (const { path, bytes, kind } of tree.entries) {
    if (kind !== 'file' || path.endsWith('/app.asar')) continue
    const part =
      /\/(node_modules\/(?:@[^/]+\/)?[^/]+|out\/\w+|bin\/[^/]+|app\.asar(?:\.unpacked)?\/\w+)/.exec(path)?.[1] ??
      'Electron'
    sums.set(part, (sums.get(part) ?? 0) + bytes)
  }
  return [...sums].toSorted(([, a], [, b]) => b - a)
}

function slashed(path: string): string {
  return path.split(sep).join('/')
}
