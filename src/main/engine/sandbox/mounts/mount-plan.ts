import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { realCodeCacheFolder } from '../../runtime/code-cache'
import { isWithin } from '../../workspace/path/real-path'
import { hasRepository } from '../../workspace/path/repository-root'
import { sensitiveRule } from '../../workspace/path/sensitive-file'
import { isEmptyFolder, isFolder, exists, realPathOf, statsOf } from '../safe-fs'
import {
  addRepository,
  worktreeRepository,
  type ProjectScan,
  type RepositoryParts,
  type ReservedFile,
} from './project-scan'
import { scanProject } from './project-state'
import { CREDENTIALS, PROTECTED_NAMES, RESERVED_NAMES, START_UP_FILES } from '../protected-names'
import type { SandboxPolicy } from '../sandbox-policy'
import { hiding, pinnedFolders, systemAndHome, withoutSuperfluous, type Mount } from './system-mounts'
import { makeCaches } from '../toolchains'
import { cacheGuards } from './cache-guards'

/** Everything a sandbox consists of. Later mounts cover earlier ones. */
export interface MountPlan {
  mounts: Mount[]
  /** The part that is the same for all projects. */
  base: readonly Mount[]
  /**
   * Empty folders to create before the sandbox starts and remove after it ends: they keep a protected name from being
   * taken.
   */
  placeholders: string[]
  /** The same, for names where git expects a file. */
  files: ReservedFile[]
  /** The project is too large to scan completely: secrets deep in it might not be hidden. */
  isIncomplete: boolean
  /** Why the sandbox cannot protect what it should, as a sentence. No command may run in it then. */
  problem?: string
}

/**
 * What a command with this policy sees. Reads the file system as it is now; the only thing it creates is missing
 * caches. `base`: the system's part of a recent plan.
 */
export function mountPlan(
  policy: SandboxPolicy,
  path: string | undefined,
  base: readonly Mount[] = systemAndHome(policy, path),
): MountPlan {
  const { level, root, folders, userHome } = policy
  const roots = outermost([root, ...folders])
  const writes = level === 'project'
  if (writes) makeCaches(userHome, policy.write, path)
  const listed = [
    ...policy.read.map((each) => ({ kind: 'read' as const, each })),
    ...(writes ? policy.sockets.map((each) => ({ kind: 'read' as const, each })) : []),
    ...(writes ? policy.write.map((each) => ({ kind: 'write' as const, each })) : []),
  ]
  const extra = withoutNested(
    listed.flatMap(({ kind, each }) => visible(each, kind, policy)),
    roots,
  )
  const repositories = writes
    ? roots
        .flatMap((each) => worktreeRepository(each) ?? [])
        .filter((each) => !roots.some((root) => isWithin(each, root)))
    : []
  const scans = roots.map((each) => ({ root: each, scan: scanProject(each) }))
  const projects = roots.flatMap((each): Mount[] => [
    ...repositoryAbove(each, userHome),
    { kind: writes ? 'write' : 'read', path: each },
  ])
  const plan: Guards = { guards: [], placeholders: [], files: [] }
  for (const { root: each, scan } of scans) {
    plan.guards.push(...secretsOf(scan, policy, roots))
    if (scan.unsettled !== undefined)
      plan.problem ??= `${scan.unsettled} is being moved, so the sandbox cannot protect it. Try again.`
    if (!writes) continue
    const names = [...PROTECTED_NAMES, ...policy.protect].map((name) => join(each, name))
    guardNames(names, plan)
    plan.guards.push(...foldersAbove(names, each))
    guardParts(scan, plan)
    for (const path of reserved(each)) {
      plan.placeholders.push(path)
      plan.guards.push({ kind: 'read', path })
    }
  }
  for (const repository of repositories) {
    const found: RepositoryParts = { protectedPaths: [], reservedFiles: [], reservedFolders: [], pinned: [] }
    addRepository(repository, found)
    guardParts(found, plan)
  }
  plan.guards.push(...homeGuards(roots, policy))
  const shared = repositories.map((path): Mount => ({ kind: 'write', path }))
  const seen = withoutSuperfluous([...base, ...byDepth(extra)])
  const code = codeCache([
    ...roots,
    ...[...seen, ...shared].flatMap(({ kind, path }) => (kind === 'write' ? path : [])),
  ])
  if (writes)
    plan.placeholders.push(
      ...code.filter(({ kind, path }) => kind === 'empty' && !exists(path)).map(({ path }) => path),
    )
  return {
    mounts: [
      ...seen,
      ...cacheGuards(seen, policy, path),
      ...credentialsIn(seen, policy),
      ...byDepth([...projects, ...shared]),
      ...byDepth(distinct(plan.guards)),
      ...ownFolder(policy, roots, seen),
      ...code,
    ],
    base,
    placeholders: plan.placeholders,
    files: plan.files,
    isIncomplete: scans.some(({ scan }) => scan.incomplete === true),
    ...(plan.problem !== undefined && { problem: plan.problem }),
  }
}

interface Guards extends Pick<MountPlan, 'placeholders' | 'files' | 'problem'> {
  guards: Mount[]
}

function guardNames(paths: readonly string[], plan: Guards): void {
  for (const path of new Set(paths)) {
    const stats = statsOf(path)
    // A secret that is a link cannot be masked itself; its target is.
    if (stats?.isSymbolicLink() && sensitiveRule(path) !== undefined) continue
    if (stats?.isSymbolicLink()) plan.problem ??= `${path} is a symbolic link, so the sandbox cannot protect it.`
    else if (stats && (sensitiveRule(path) === undefined || stats.isDirectory()))
      plan.guards.push({ kind: 'read', path })
  }
}

/** Folders are mounted so that they cannot be moved or removed, and replaced by others with different contents. */
function guardParts({ protectedPaths, reservedFiles, reservedFolders, pinned }: RepositoryParts, plan: Guards): void {
  plan.guards.push(
    ...pinned.filter((path) => statsOf(path)?.isDirectory()).map((path): Mount => ({ kind: 'write', path })),
  )
  guardNames(protectedPaths, plan)
  plan.files.push(...reservedFiles)
  plan.placeholders.push(...reservedFolders)
  const reserved = [...reservedFiles.map(({ path }) => path), ...reservedFolders]
  plan.guards.push(...reserved.map((path): Mount => ({ kind: 'read', path })))
}

/** The folders between a project and the protected paths in it. */
function foldersAbove(paths: readonly string[], root: string): Mount[] {
  return paths
    .filter((path) => exists(path) && isWithin(path, root))
    .flatMap((path) => pinnedFolders(path, root))
    .filter(({ path }) => statsOf(path)?.isDirectory())
}

/**
 * Drops listed paths inside folders that commands can write to. They are visible already, and a command could redirect
 * them between the check and the mount.
 */
function withoutNested(mounts: readonly Mount[], roots: readonly string[]): Mount[] {
  const writable = [...roots, ...mounts.flatMap(({ kind, path }) => (kind === 'write' ? [path] : []))]
  return mounts.filter(
    ({ path }) => !writable.some((folder) => folder !== path && isWithin(path, folder)) && !roots.includes(path),
  )
}

function distinct(mounts: readonly Mount[]): Mount[] {
  const kinds = new Map<string, Mount>()
  for (const mount of mounts) {
    const before = kinds.get(mount.path)
    // The stricter kind wins.
    if (!before || before.kind === 'write' || (before.kind === 'read' && mount.kind !== 'write'))
      kinds.set(mount.path, mount)
  }
  return [...kinds.values()]
}

/** Hides credentials in a folder that is visible for another reason, unless the user listed that exact path. */
function credentialsIn(seen: readonly Mount[], { userHome, read, write, sockets }: SandboxPolicy): Mount[] {
  const listed = [...read, ...write, ...sockets]
  const paths = [...CREDENTIALS.map((name) => join(userHome, name)), ...keyringsIn(join(userHome, '.cache'))]
  return paths
    .filter((path) => exists(path) && !listed.some((each) => isWithin(each, path)))
    .filter((path) =>
      seen.some(
        (mount) =>
          (mount.kind === 'read' || mount.kind === 'write') && mount.path !== path && isWithin(path, mount.path),
      ),
    )
    .filter((path) => !lstatSync(path).isSymbolicLink())
    .map(hiding)
}

/** Sockets of key stores, which old desktops keep in the cache folder. */
function keyringsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.startsWith('keyring-'))
      .map((name) => join(folder, name))
  } catch {
    return []
  }
}

/**
 * A path the user listed; left out when it does not exist, or would expose the user's whole home or anything in
 * Trestle's own folder.
 */
function visible(path: string, kind: 'read' | 'write', { home, userHome }: SandboxPolicy): Mount[] {
  try {
    const real = realpathSync(path)
    if (isWithin(real, home) || isWithin(userHome, real) || isWithin(home, real)) return []
    return [{ kind, path: real }]
  } catch {
    return []
  }
}

/** The repository that contains a project is readable, because git reads all of it. */
function repositoryAbove(root: string, userHome: string): Mount[] {
  for (let folder = dirname(root); dirname(folder) !== folder; folder = dirname(folder)) {
    if (isWithin(userHome, folder)) return []
    if (hasRepository(folder)) return [{ kind: 'read', path: folder }, ...secretsIn(folder)]
  }
  return []
}

function secretsIn(folder: string): Mount[] {
  const { secrets, secretFolders } = scanProject(folder)
  return [...secrets, ...secretFolders].map(hiding)
}

/**
 * Protected names that do not exist yet. Without a repository, `.git` itself is one: a command that creates it also
 * writes its settings.
 */
function reserved(root: string): string[] {
  const git = join(root, '.git')
  const isRepository = exists(git) && !isEmptyFolder(git)
  const names = RESERVED_NAMES.filter((name) => name !== '.git/hooks' || (isRepository && isFolder(git)))
  const paths = [...(isRepository ? [] : ['.git']), ...names].map((name) => join(root, name))
  return paths.filter((path) => !exists(path) || isEmptyFolder(path))
}

/** For a link, its target in the project: a mask on the link itself would not work. */
function secretsOf(
  { secrets, secretFolders }: ProjectScan,
  { sockets }: SandboxPolicy,
  roots: readonly string[],
): Mount[] {
  const paths = secrets
    .filter((path) => !sockets.includes(path))
    .flatMap((path) => {
      if (!statsOf(path)?.isSymbolicLink()) return [path]
      const target = realPathOf(path)
      return target !== undefined && roots.some((root) => target !== root && isWithin(target, root)) ? [target] : []
    })
  return [...new Set([...paths, ...secretFolders])].map(hiding)
}

/** When a project contains the home or part of it: credentials are hidden, start-up files are read-only. */
function homeGuards(roots: readonly string[], { userHome, level }: SandboxPolicy): Mount[] {
  const inRoot = (path: string): boolean => roots.some((root) => path !== root && isWithin(path, root)) && exists(path)
  const hidden = CREDENTIALS.map((name) => join(userHome, name)).filter(inRoot)
  const kept = level === 'project' ? START_UP_FILES.map((name) => join(userHome, name)).filter(inRoot) : []
  const above = level === 'project' ? roots.flatMap((root) => foldersAbove([...hidden, ...kept], root)) : []
  return byDepth([...above, ...kept.map((path): Mount => ({ kind: 'read', path })), ...hidden.map(hiding)])
}

/** Trestle's own folder is empty wherever a mount contains it, except for projects inside it and the paths in `own`. */
function ownFolder(
  { home, level, own = [] }: SandboxPolicy,
  roots: readonly string[],
  seen: readonly Mount[],
): Mount[] {
  const inside = roots.filter((root) => root !== home && isWithin(root, home))
  const contained =
    roots.some((root) => isWithin(home, root)) ||
    seen.some(({ kind, path }) => (kind === 'read' || kind === 'write') && isWithin(home, path))
  const shown = own
    .filter((path) => path !== home && isWithin(path, home) && realPathOf(path) === path)
    .map((path): Mount => ({ kind: 'read', path }))
  if (!contained) return shown
  return [
    { kind: 'empty', path: home },
    ...inside.map((path): Mount => ({ kind: level === 'project' ? 'write' : 'read', path })),
    ...shown,
  ]
}

/**
 * Hides the cache of Trestle's compiled code if a command can see the folder for temporary files, because the next
 * start runs it without a sandbox. The folders above are mounted so that none can be moved away and replaced.
 */
function codeCache(folders: readonly string[]): Mount[] {
  const folder = realCodeCacheFolder()
  if (folder === undefined) return []
  const above = folders.filter((each) => isWithin(folder, each)).toSorted((a, b) => a.length - b.length)[0]
  if (above === undefined) return []
  return [...pinnedFolders(folder, above), { kind: 'empty', path: folder }]
}

function byDepth(mounts: readonly Mount[]): Mount[] {
  return [...mounts].toSorted((a, b) => a.path.split('/').length - b.path.split('/').length)
}

function outermost(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isWithin(path, other)))
}
