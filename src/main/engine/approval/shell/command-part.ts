import type { ResolvedPath } from '../../workspace/workspace'
import type { NetworkUse } from './network-use'
import type { Word } from '../../permission/shell-syntax'

/** A path that a part of a command touches. */
export interface TouchedPath extends ResolvedPath {
  write: boolean
  /** The program is not known: whether it reads or writes there, and whether the word is a path at all, is not certain. */
  unsure?: true
  /** It looks only at what is there (`ls`, `stat`), not at contents. */
  namesOnly?: true
  /** It goes through everything below. */
  tree?: TouchedTree
  /** The word of the command that says so; a glob as written. */
  sourceWord?: string
}

/** What a program that goes through a whole folder finds there. */
export interface TouchedTree {
  /** Absolute paths of the files that it opens; `undefined`: they were not looked for, as it opens none. */
  files?: readonly string[]
  /** Why not all of them are known. */
  problem?: string
  /** It leaves out names that begin with a dot. */
  skipsHidden?: true
}

/** What a part of a command does beside calculating and printing: the one model that deny, ask and allow rules, policies and sandboxes go by. */
export interface Effects {
  reads: readonly TouchedPath[]
  writes: readonly TouchedPath[]
  /** Where it connects to; absent: it is not known to connect. */
  sends?: NetworkUse
  /** Names of the programs it starts itself. */
  runs: readonly string[]
  /** Why some of it is only known when it runs. */
  unknown: readonly string[]
}

/** One thing that a command does, to be judged by itself: a program that it starts, or a file that it redirects to or from. */
export interface CommandPart {
  /** As written. */
  source: string
  /** What is started; empty for a redirection. */
  words: readonly Word[]
  /** `NAME=value` in front, as words. */
  assignments: readonly Word[]
  /** Whether one of the variables set decides what runs. */
  steered: boolean
  /** Programs that start this one (sudo, xargs), outermost first; `at`: where in their words this one begins. */
  outer: readonly { words: readonly Word[]; at: number }[]
  kind: 'run' | 'redirection'
  /** Why some of what it runs cannot be seen; `word` is what says so. */
  hidden?: { reason: string; word: string }
  /** Does nothing but start other parts. */
  neutral: boolean
  readOnly: boolean
  /** Why a command that reads asks nevertheless: what it would show. */
  problem?: string
  /** Why it asks in every mode. */
  danger?: string
  /** All that `effects` reads and writes. */
  paths: readonly TouchedPath[]
  effects: Effects
}
