import type { ResolvedPath } from '../../workspace/workspace'
import type { Word } from './shell-syntax'

/** A path that a part of a command touches. */
export interface TouchedPath extends ResolvedPath {
  write: boolean
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
  /** Why it asks in every mode. */
  danger?: string
  paths: readonly TouchedPath[]
}
