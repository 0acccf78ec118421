import { createHash } from 'node:crypto'
import { readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ConfigProblem } from '../../../shared/configuration/settings'
import type { TrustPart } from '../../../shared/configuration/customize/customizations'
import { readConfigText } from '../config/read-config-file'

/** The current state of a file with which a project configures Trestle. */
export interface ProjectFile {
  kind: TrustPart['kind']
  /** Absolute path in the project. */
  file: string
  /** The target of a symbolic link. */
  link?: string
  text: string
  /** Why it cannot be read; if so, `text` is empty. */
  problem?: ConfigProblem
}

/** The folder of a project's agent specs and their prompts. */
const AGENTS = ['.trestle', 'agents'] as const
const AGENT_FILE = /\.(?:ya?ml|md|txt)$/
const MAX_AGENT_FILES = 50

/** All other such files. Their content has no effect until the user trusts the folder. */
const FILES: readonly { kind: TrustPart['kind']; path: readonly string[] }[] = [
  { kind: 'rules', path: ['.trestle', 'config.toml'] },
  { kind: 'mcp', path: ['.mcp.json'] },
]
/**
 * Limits for each file and for all files together. A person has to be able to read everything before trusting it, so
 * files beyond the limits are ignored.
 */
const MAX_FILE_BYTES = 256 * 1024
const MAX_TOTAL_BYTES = 1024 * 1024

/** The existing files, read once, so that the same text is shown, hashed and used. `folder` is a real path. */
export function projectFiles(folder: string, home: string): ProjectFile[] {
  let left = MAX_TOTAL_BYTES
  return [...FILES, ...agentFiles(folder)].flatMap(({ kind, path }): ProjectFile[] => {
    const file = join(folder, ...path)
    const found = readConfigText(file, { within: folder, home, mostBytes: Math.min(left, MAX_FILE_BYTES) })
    if ('missing' in found) return []
    const real = realPath(file)
    // In the home folder, this is the user's own configuration, which always applies.
    if (real === realPath(join(home, 'config.toml')) || dirname(real) === realPath(join(home, 'agents'))) return []
    if ('text' in found) left -= Buffer.byteLength(found.text)
    const link = real === file ? {} : { link: real }
    return [
      'text' in found
        ? { kind, file, ...link, text: found.text }
        : { kind, file, ...link, text: '', problem: found.problem },
    ]
  })
}

/** The kind of configuration in a project file, by its path. */
export function projectFileKind(folder: string, file: string): TrustPart['kind'] {
  return FILES.find(({ path }) => join(folder, ...path) === file)?.kind ?? 'agents'
}

function agentFiles(folder: string): { kind: TrustPart['kind']; path: readonly string[] }[] {
  const agents = join(folder, ...AGENTS)
  let names: string[]
  try {
    // An exception costs more than this check, and few projects have such a folder.
    if (statSync(agents, { throwIfNoEntry: false }) === undefined) return []
    names = readdirSync(agents)
  } catch {
    return []
  }
  return names
    .filter((name) => AGENT_FILE.test(name))
    .toSorted()
    .slice(0, MAX_AGENT_FILES)
    .map((name) => ({ kind: 'agents', path: [...AGENTS, name] }))
}

/** A hash of everything that is shown of them; empty without files. */
export function projectFilesHash(folder: string, files: readonly ProjectFile[]): string {
  if (files.length === 0) return ''
  const shown = files.map(({ kind, file, link, text, problem }) => [kind, file, link, text, problem?.message])
  return createHash('sha256')
    .update(JSON.stringify([folder, shown]))
    .digest('hex')
}

function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
