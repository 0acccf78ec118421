import type { Arithmetic } from './arithmetic'

/** A word of a command as bash would pass it on, as far as that can be known from the text. */
export interface Word {
  /** With quotes and escapes removed; where `known` is false, as written. */
  text: string
  /** Whether the program gets exactly this one word. */
  known: boolean
  /** The word is not quoted and has glob characters: it becomes the names that match. `known` is false then. */
  glob?: boolean
  /** Of a glob: the text with a backslash before each character that is quoted, so that it is known which ones are wildcards. */
  pattern?: string
  /** Begins with an unquoted `~`, which stands for a home folder. */
  tilde?: boolean
}

/** A redirection to or from a file; duplications of descriptors (`2>&1`) and here-documents are none. */
export interface Redirection {
  target: Word
  write: boolean
}

/** One simple command: what the shell starts (or a builtin it runs), wherever it stands. */
export interface Segment {
  /** As written. */
  source: string
  /** The program first; empty when there are only assignments or redirections. */
  words: Word[]
  /** `NAME=value` in front of the program; alone they change the shell itself. */
  assignments: { name: string; value: Word }[]
  redirections: Redirection[]
  /** In a loop or a function: it may run more than once, or later. */
  repeated: boolean
}

/** What the shell would run. `hidden`: why some of it cannot be seen. */
export interface ShellView {
  segments: Segment[]
  hidden: string[]
  /** What it calculates. */
  arithmetic?: Arithmetic
  /** Variables that loops and expansions give values; `true` for those that only get numbers. */
  values?: readonly [name: string, isNumber: boolean][]
}
