/**
 * How the main process and the page are divided into files. By default, the bundler creates a file for every group of
 * modules that some entries share and others do not: more than 170 files to find, read and link at startup, which took
 * longer than running them. The page had 140, each requested separately.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** A part of the program that is started or loaded as a whole: its modules are stored in as few files as possible. */
export interface ProgramPart {
  name: string
  /** It consists of these modules and all their imports, except dynamic ones. */
  entries: readonly string[]
  /** Not merged, but it loads nothing that only other parts need. */
  isSmall?: boolean
  /** It is only ever loaded after this part: what both need stays in that part's files. */
  after?: string
}

interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[]; isEntry: boolean } | null
}

/**
 * Names the file of each module after the parts that need it: modules needed by the same parts share one. A part loads
 * nothing that it does not need, files never import each other in a cycle, and modules that no part needs are left to
 * the bundler.
 */
export function startChunks(
  root: string,
  parts: readonly ProgramPart[],
): (id: string, graph: ModuleGraph) => string | null {
  let names: Map<string, string> | undefined
  return (id, graph) => {
    names ??= namesOf(root, parts, graph)
    return names.get(id) ?? null
  }
}

function namesOf(root: string, parts: readonly ProgramPart[], graph: ModuleGraph): Map<string, string> {
  const needed = new Map<string, string[]>()
  const merged = new Set(parts.filter(({ isSmall }) => !isSmall).map(({ name }) => name))
  for (const { name, entries, after } of parts) {
    const open = entries.map((entry) => resolve(root, entry))
    const missing = open.find((path) => !existsSync(path))
    if (missing !== undefined) throw new Error(`electron.vite.config.ts names ${missing}, which is not there`)
    const seen = new Set(open)
    const before = partsBefore(after, parts)
    for (const id of open) {
      if (before.some((part) => needed.get(id)?.includes(part))) continue
      needed.set(id, [...(needed.get(id) ?? []), name])
      for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) {
        if (seen.has(imported)) continue
        seen.add(imported)
        open.push(imported)
      }
    }
  }
  return new Map(
    [...needed]
      // A program's entry module runs it, so nothing that others may load can be in the same file.
      .filter(([id, by]) => by.some((name) => merged.has(name)) && !graph.getModuleInfo(id)?.isEntry)
      .map(([id, by]) => [id, by.join('-')]),
  )
}

/** The parts that are already loaded: the named one, and those before it. */
function partsBefore(after: string | undefined, parts: readonly ProgramPart[]): string[] {
  if (after === undefined) return []
  return [after, ...partsBefore(parts.find(({ name }) => name === after)?.after, parts)]
}
