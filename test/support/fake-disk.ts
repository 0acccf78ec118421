import type { PathFlavor } from '../../src/main/engine/workspace/path/path-flavor'
import type { PathLookup } from '../../src/main/engine/workspace/path/real-path'

export interface FakeDiskOptions {
  paths: PathFlavor
  /** Existing files and folders, in the file system's spelling; their parents also exist. */
  there: readonly string[]
  /** Short names of Windows: `PROGRA~1` for `Program Files`. */
  short?: Readonly<Record<string, string>>
  /** Links: absolute path and target of each. */
  links?: Readonly<Record<string, string>>
}

/** Answers like the file system of another system: case-insensitive names where applicable, short names, links. */
export function fakeDisk({ paths, there, short = {}, links = {} }: FakeDiskOptions): PathLookup {
  const { dirname, join, parse } = paths.path
  const key = (path: string): string => {
    const text = paths.platform === 'win32' ? paths.comparable(path) : path.normalize('NFC')
    return paths.ignoresCase ? text.toLowerCase() : text
  }
  const known = new Map<string, string>()
  const add = (path: string): void => {
    if (known.has(key(path))) return
    known.set(key(path), path)
    if (dirname(path) !== path) add(dirname(path))
  }
  for (const path of [...there, ...Object.keys(links)]) add(path)
  const targets = new Map(Object.entries(links).map(([path, target]) => [key(path), target]))
  const missing = (path: string): Error => Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })
  const longNames = (path: string): string => {
    const { root } = parse(path)
    const names = path.slice(root.length).split(/[\\/]+/)
    return join(root, ...names.map((name) => short[name.toUpperCase()] ?? name))
  }
  const realpath = (path: string, links = 0): string => {
    if (links > 20) throw Object.assign(new Error('ELOOP'), { code: 'ELOOP' })
    const long = longNames(path)
    const { root } = parse(long)
    let real = root
    const names = long
      .slice(root.length)
      .split(/[\\/]+/)
      .filter((name) => name !== '' && name !== '.')
    for (const [index, name] of names.entries()) {
      if (name === '..') {
        real = dirname(real)
        continue
      }
      const next = join(real, name)
      const target = targets.get(key(next))
      if (target !== undefined) {
        const aim = paths.path.isAbsolute(target) ? target : join(real, target)
        return realpath(join(aim, ...names.slice(index + 1)), links + 1)
      }
      const spelled = known.get(key(next))
      if (spelled === undefined) throw missing(path)
      real = spelled
    }
    return known.get(key(real)) ?? real
  }
  return {
    realpath: (path) => realpath(path),
    readlink(path) {
      const target = targets.get(key(path))
      if (target !== undefined) return target
      if (known.has(key(longNames(path)))) throw Object.assign(new Error(`EINVAL: ${path}`), { code: 'EINVAL' })
      throw missing(path)
    },
  }
}
