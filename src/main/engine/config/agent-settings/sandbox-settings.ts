import {
  SANDBOX_HOST,
  SANDBOX_MODES,
  SANDBOX_PATH,
  SANDBOX_SOCKET,
  type SandboxMode,
} from '../../../../shared/model/task/sandbox'
import type { TableReader } from '../toml/table-reader'

/** `[sandbox]` of config.toml. Paths are as written: absolute, or from `~`. */
export interface SandboxSettings {
  mode: SandboxMode
  /** Folders and files that Project commands can change in addition to the project, such as toolchain caches. */
  write: readonly string[]
  /** Folders and files that commands can read in addition to the project and system folders. */
  read: readonly string[]
  /**
   * Hosts that Project commands can reach if the network is `listed`: `example.com`, `*.example.com`,
   * `example.com:8443`.
   */
  hosts: readonly string[]
  /** Unix sockets that commands can use, such as `$SSH_AUTH_SOCK` or `/run/docker.sock`. */
  sockets: readonly string[]
  /** Whether `hosts` and the caches extend the built-in lists. */
  defaults: boolean
  /** Settings of a trusted project's own file; they can only restrict. */
  project?: ProjectSandbox
  /** Overrides for a folder and its contents, by real path or from `~`; the longest match wins. */
  folders: readonly SandboxFolder[]
}

export interface SandboxFolder extends Partial<Pick<SandboxSettings, 'mode' | 'write' | 'read' | 'hosts' | 'sockets'>> {
  folder: string
}

/** Settings of a trusted project's own file. They can only make the sandbox stricter. */
export interface ProjectSandbox {
  mode?: 'required'
  /** `none`: its commands need approval to use the network. */
  network?: 'none'
  /** Paths in the project that commands cannot change, in addition to the protected ones. */
  protect?: readonly string[]
}

/** Caches of package managers and compilers, which builds write to. */
export const DEFAULT_CACHES: readonly string[] = [
  '~/.npm',
  '~/.cache',
  '~/.local/share/pnpm/store',
  '~/.local/state/pnpm',
  '~/.pnpm-store',
  '~/.yarn/berry',
  '~/.bun/install/cache',
  '~/.cargo/registry',
  '~/.cargo/git',
  '~/go/pkg',
  '~/.gradle/caches',
  '~/.gradle/wrapper',
  '~/.gradle/daemon',
  '~/.gradle/native',
  '~/.m2/repository',
  '~/.node-gyp',
]

export const DEFAULT_SANDBOX_SETTINGS: SandboxSettings = {
  mode: 'auto',
  write: [],
  read: [],
  hosts: [],
  sockets: [],
  defaults: true,
  folders: [],
}

const path = entryLike(SANDBOX_PATH)
const host = entryLike(SANDBOX_HOST)
const socket = entryLike(SANDBOX_SOCKET)

/**
 * Reads `[sandbox]` and its `[[sandbox.folders]]`. An entry that is not understood is left out and reported: what is
 * not listed is not allowed. A mode that is not understood may be the strictest, and counts as that.
 */
export function readSandboxSettings(top: TableReader): SandboxSettings {
  const reader = top.table('sandbox')
  if (!reader) return top.has('sandbox') ? { ...DEFAULT_SANDBOX_SETTINGS, mode: 'required' } : DEFAULT_SANDBOX_SETTINGS
  const mode = modeOf(reader)
  const defaults = reader.flag('defaults')
  const lists = readLists(reader)
  const folders = (reader.tableList('folders') ?? []).flatMap(({ entry }): SandboxFolder[] => {
    if (!entry) return []
    const folder = entry.string('folder', path)
    if (!entry.has('folder')) entry.mistake(undefined, 'needs a folder')
    const override = modeOf(entry)
    const own = readLists(entry)
    entry.finish()
    return folder === undefined ? [] : [{ folder, ...(override && { mode: override }), ...own }]
  })
  reader.finish()
  return {
    ...DEFAULT_SANDBOX_SETTINGS,
    ...lists,
    folders,
    ...(mode && { mode }),
    ...(defaults !== undefined && { defaults }),
  }
}

/** The mode in a table; the strictest when there is one that is not understood. */
function modeOf(reader: TableReader): SandboxMode | undefined {
  return reader.oneOf('mode', SANDBOX_MODES) ?? (reader.has('mode') ? 'required' : undefined)
}

/** Reads a project's settings for its own sandbox. Everything that would make it weaker is reported as ignored. */
export function readProjectSandbox(reader: TableReader | undefined): ProjectSandbox {
  if (!reader) return {}
  const mode = reader.oneOf('mode', ['required'] as const)
  const network = reader.oneOf('network', ['none'] as const)
  const protect = reader.strings('protect')
  reader.finish()
  return { ...(mode && { mode }), ...(network && { network }), ...(protect && { protect }) }
}

function readLists(reader: TableReader): Pick<SandboxFolder, 'write' | 'read' | 'hosts' | 'sockets'> {
  const write = listOf(reader, 'write', path)
  const read = listOf(reader, 'read', path)
  const hosts = listOf(reader, 'hosts', host)
  const sockets = listOf(reader, 'sockets', socket)
  return { ...(write && { write }), ...(read && { read }), ...(hosts && { hosts }), ...(sockets && { sockets }) }
}

function listOf(
  reader: TableReader,
  key: string,
  { test, must }: { test(text: string): boolean; must: string },
): string[] | undefined {
  return reader.strings(key)?.filter((text, index) => {
    if (test(text)) return true
    reader.mistake(key, `number ${index + 1} must be ${must}`)
    return false
  })
}

function entryLike({ pattern, must }: { pattern: RegExp; must: string }): {
  test(text: string): boolean
  must: string
} {
  return { test: (text) => pattern.test(text), must }
}
