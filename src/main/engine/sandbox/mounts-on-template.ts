import { statSync } from 'node:fs'
import { isWithin } from '../workspace/real-path'
import { realOf, statsOf } from './file-facts'
import type { Mount } from './system-mounts'

/** Mounts that are there already, in a mount namespace that nothing runs in: a sandbox made from it only needs what is missing. */
export interface MountTemplate {
  /** By path: what is mounted there, and on and from which file. */
  files: ReadonlyMap<string, string>
  mounts: readonly Mount[]
}

/** What a template made from these mounts now would have. */
export function templateOf(mounts: readonly Mount[]): MountTemplate {
  return { files: new Map(mounts.map((mount) => [mount.path, filesOf(mount)])), mounts }
}

/**
 * What is to be mounted on a template to get these mounts; undefined where that cannot be had from it. A file that was replaced since has lost its mount, so it gets another. The mounts of the sandbox are
 * read back all the same.
 */
export function mountsOnTemplate(mounts: readonly Mount[], template: MountTemplate): Mount[] | undefined {
  const wanted = new Set(mounts.map(({ path }) => path))
  if (template.mounts.some(({ path }) => !wanted.has(path))) return undefined
  const mask = template.mounts.find(({ kind }) => kind === 'hidden')?.path
  const missing: Mount[] = []
  for (const mount of mounts) {
    if (template.files.get(mount.path) === filesOf(mount)) continue
    const covers = template.mounts.some(({ path }) => path !== mount.path && isWithin(path, mount.path))
    if (covers || realOf(mount.path) !== mount.path) return undefined
    const above = template.mounts.findLast(({ kind, path }) => kind !== 'link' && path !== mount.path && isWithin(mount.path, path))
    if (above?.kind !== 'write' && (above?.kind !== 'read' || above.from !== undefined || mount.kind === 'write')) return undefined
    if (mount.kind === 'hidden') {
      if (mask === undefined || mask === mount.path) return undefined
      missing.push({ kind: 'read', path: mount.path, from: mask })
    } else if (mount.kind === 'empty' || mount.kind === 'write' || (mount.kind === 'read' && mount.from === undefined)) missing.push(mount)
    else return undefined
  }
  return missing
}

/** Another file at the same path is another mount; the file it lies on counts as well as the one it shows. */
function filesOf(mount: Mount): string {
  const below = statsOf(mount.path)
  const own = `${mount.kind} ${below?.dev}:${below?.ino}`
  if (mount.kind === 'link') return `${own} ${mount.target}`
  if (mount.kind === 'text') return `${own} ${mount.text}`
  if (mount.kind !== 'read' && mount.kind !== 'write') return own
  const source = (mount.kind === 'read' && mount.from) || mount.path
  if (!below?.isSymbolicLink() && source === mount.path) return own
  const shown = statSync(source, { throwIfNoEntry: false })
  return `${own} ${shown?.dev}:${shown?.ino} ${source}`
}
