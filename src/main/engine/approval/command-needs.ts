import { writesOutside } from './paths'
import type { CommandPart } from './shell/command-part'

/** What a command needs beside reading and writing in the project, as far as its words say so. */
export interface CommandNeeds {
  /** `unknown`: it connects, and where to is only known when it runs. */
  network: 'none' | 'unknown' | { hosts: string[] }
  /** Real paths that it writes outside of the project and the folders the user added. */
  writesOutside: string[]
  /** Real paths that it reads there, system folders included. */
  readsOutside: string[]
  /** Files with secrets that it opens. */
  secrets: string[]
  /** Why more of it is only known when it runs. */
  unknown: string[]
}

/**
 * What the parts of a command need together, for whoever chooses a sandbox: a command that needs the network or writes elsewhere fails in one that has
 * neither, so it is better asked about up front. Pure. What words do not say (a script that connects, a build that fetches) is not in it; the sandbox
 * finds that out.
 */
export function commandNeeds(parts: readonly CommandPart[]): CommandNeeds {
  const sends = parts.flatMap(({ effects }) => effects.sends ?? [])
  const hosts = unique(sends.flatMap((use) => use.hosts))
  const reads = parts.flatMap(({ effects }) => effects.reads)
  return {
    network: sends.some((use) => use.unknown) ? 'unknown' : sends.length === 0 ? 'none' : { hosts },
    writesOutside: unique(parts.flatMap((part) => writesOutside(part).map(({ realPath }) => realPath))),
    readsOutside: unique(reads.flatMap(({ inside, unsure, realPath }) => (inside || unsure ? [] : [realPath]))),
    secrets: unique(
      parts.flatMap(({ paths }) => paths.flatMap(({ sensitive, names, realPath }) => (sensitive === undefined || names ? [] : [realPath]))),
    ),
    unknown: unique(parts.flatMap(({ effects, hidden }) => [...effects.unknown, ...(hidden ? [hidden.reason] : [])])),
  }
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
