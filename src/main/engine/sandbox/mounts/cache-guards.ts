import { mkdirSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { isWithin } from '../../workspace/path/real-path'
import { entriesOf, isFolder, realPathOf } from '../safe-fs'
import type { SandboxPolicy } from '../sandbox-policy'
import { pinnedFolders, type Mount } from './system-mounts'

/**
 * Entries of ~/.cache that shells and editors run at every start: prompts and completions for zsh and fish, their
 * helpers, compiled scripts of editors, and package managers.
 */
const RUN_AT_START =
  /^(?:p10k-.*|gitstatus|zsh.*|\.?zcompdump.*|oh-my-zsh|prezto|zinit|zplug|antidote|antigen|sheldon|fish|bash.*|starship|carapace|oh-my-posh|wal|nvim|vim|emacs|doom|helix|kakoune|kitty|tmux|direnv|mise|corepack)$/
/** The same, deeper below: runs when the user types `pnpm` or `yarn`. */
const RUN_BY_NAME = ['.cache/node/corepack']
/** `npx` runs packages in here without asking, even if another program put them there. */
const NPX = '.npm/_npx'

/**
 * Caches are shared between sandboxed commands and the user's own builds. Whatever runs outside without a build is
 * protected from commands: folders with programs on PATH and files that shells and editors load are read-only, and
 * `npx` gets its own cache in TRESTLE_HOME. `seen`: the mounts so far.
 */
export function cacheGuards(seen: readonly Mount[], policy: SandboxPolicy, path: string | undefined): Mount[] {
  const writable = seen.flatMap((mount) => (mount.kind === 'write' ? [mount.path] : []))
  // The user can list such a folder explicitly.
  const above = (each: string): string | undefined =>
    writable.includes(each) ? undefined : writable.find((folder) => isWithin(each, folder))
  const kept = new Set([...programFolders(path), ...loadedAtStart(policy.userHome)])
  return [
    ...[...kept].flatMap((each): Mount[] => {
      const folder = above(each)
      return folder === undefined ? [] : [...pinnedFolders(each, folder), { kind: 'read', path: each }]
    }),
    ...(above(join(policy.userHome, NPX)) === undefined ? [] : ownNpxCache(policy)),
  ]
}

function programFolders(path = ''): string[] {
  return path
    .split(delimiter)
    .flatMap((entry) => (isAbsolute(entry) && isFolder(entry) ? (realPathOf(entry) ?? []) : []))
}

function loadedAtStart(userHome: string): string[] {
  const cache = join(userHome, '.cache')
  return [
    ...entriesOf(cache).flatMap((entry) =>
      RUN_AT_START.test(entry.name) && (entry.isFile() || entry.isDirectory()) ? [join(cache, entry.name)] : [],
    ),
    ...RUN_BY_NAME.map((name) => join(userHome, name)).filter((each) => realPathOf(each) === each),
  ]
}

function ownNpxCache({ home, userHome }: SandboxPolicy): Mount[] {
  const from = join(home, 'run', 'npx-cache')
  try {
    for (const folder of [from, join(userHome, NPX)]) mkdirSync(folder, { recursive: true, mode: 0o700 })
    return [{ kind: 'write', path: join(userHome, NPX), from }]
  } catch {
    // A full disk, for example. Mounted read-only, so that no command can plant a package there.
    return realPathOf(join(userHome, NPX)) === undefined ? [] : [{ kind: 'read', path: join(userHome, NPX) }]
  }
}
