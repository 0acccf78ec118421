import type { ResolvedPath } from '../../workspace/workspace'
import type { NetworkUse } from './network-use'
import type { Word } from '../../permission/shell-syntax'

/** A path that a part of a command touches. */
export interface TouchedPath extends ResolvedPath {
  write: boolean
  /** The program is unknown: it may read or write there, and the word may not be a path at all. */
  unsure?: true
  /** It only lists what exists (`ls`, `stat`), without reading contents. */
  namesOnly?: true
  /** It walks everything below the path. */
  tree?: TouchedTree
  /** The word of the command that names it; a glob as written. */
  sourceWord?: string
  /** An existing folder that remains; what is written is placed in it. */
  holdsTarget?: true
}

/** What a program that walks an entire folder finds there. */
export interface TouchedTree {
  /** Absolute paths of the files that it opens; `undefined`: not determined, because it opens no files. */
  files?: readonly string[]
  /** Why the list is incomplete. */
  problem?: string
  /** It skips names with a leading dot. */
  skipsHidden?: true
}

/**
 * The effects of a part of a command besides calculating and printing. Deny, ask and allow rules, policies and
 * sandboxes all use this model.
 */
export interface Effects {
  reads: readonly TouchedPath[]
  writes: readonly TouchedPath[]
  /** What it connects to; absent: not known to connect. */
  sends?: NetworkUse
  /** Names of the programs it starts itself. */
  runs: readonly string[]
  /** Why some of its effects are known only at run time. */
  unknown: readonly string[]
}

/** One action of a command, judged separately: a program that it starts, or a file that it redirects to or from. */
export interface CommandPart {
  /** As written. */
  source: string
  /** The program and its arguments; empty for a redirection. */
  words: readonly Word[]
  /** Leading `NAME=value` words. */
  assignments: readonly Word[]
  /** Whether one of the assigned variables affects what runs. */
  steered: boolean
  /**
   * Programs that start this one (sudo, xargs), outermost first; `at`: the index in their words where this one starts.
   */
  outer: readonly { words: readonly Word[]; at: number }[]
  kind: 'run' | 'redirection'
  /** Why some of what it runs is hidden; `word` is what hides it. */
  hidden?: { reason: string; word: string }
  /** It only starts other parts. */
  neutral: boolean
  readOnly: boolean
  /** Why a read-only command asks anyway: what it would reveal. */
  problem?: string
  /** Why it asks in every mode. */
  danger?: string
  /** Everything that `effects` reads and writes. */
  paths: readonly TouchedPath[]
  effects: Effects
}
