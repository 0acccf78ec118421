import type { Word } from '../../permission/shell-syntax'

/** What a word means to a program: a text or number that is not a path, or a path and how much of it is read. */
export type Kind = 'text' | 'number' | 'file' | 'names' | 'contents' | RegExp

/** A word that names something the program reads. */
export interface ReadPath extends Word {
  /**
   * One file (or its metadata), the names below a folder, the contents of all files below it, or the git repository it
   * belongs to.
   */
  covers: 'file' | 'names' | 'contents' | 'repository'
  /** For a tree: skips hidden names and those listed in ignore files. */
  skipsHidden?: boolean
  /** For a tree: follows links. */
  followsLinks?: boolean
  /** For a tree: only files with one of these extensions. */
  endings?: readonly string[]
  /** For a tree: skips folders with these names. */
  skips?: readonly string[]
  /** Set when `covers` is `repository`. */
  repository?: RepositoryRead
}

/** What git prints from a repository. */
export interface RepositoryRead {
  /** Names and messages only, contents of currently tracked files, or contents of any version. */
  contents: 'none' | 'tracked' | 'history'
  /** The only files whose contents it prints; empty means all. */
  only: readonly Word[]
  /** Words that are file names if such a file exists, and revisions otherwise. */
  revisions: readonly Word[]
  /** It also runs git in the submodules. */
  entersSubmodules?: true
  /** It prints the addresses of its remotes, which may contain a password. */
  addresses?: true
}

/** Exactly the options a program can have. Any other option, abbreviations included, is unknown. */
interface OptionTable {
  get(name: string): { value?: 'required' | 'attached'; kind: Kind } | undefined
  /** Digits are allowed in combined short options (`-20`). */
  digits: boolean
}

/** One read-only program. */
export interface Program {
  options: OptionTable
  /** The kinds of operands; the last kind applies to all further operands. Absent: no operands. */
  operands?: readonly Kind[]
  least?: number
  most?: number
  /** No option does harm, so a glob may match a name that is an option. */
  anyOption?: true
  /** Operands with a leading `+` mean something else. */
  noPlus?: true
  /** Each option is a separate word before all operands: everything after the first operand is an operand. */
  strict?: true
  /** Overrides `operands`: the paths that are read, or undefined when the program may do more than read. */
  reads?(parsed: Parsed): ReadPath[] | undefined
}

/** A program's arguments, split into options and operands. */
export interface Parsed {
  options: readonly { name: string; value: string | undefined }[]
  operands: readonly Word[]
  /** How many operands are before `--`; all of them without it. */
  beforeDashes: number
  /** Paths named by options. */
  paths: readonly ReadPath[]
}

const KINDS: Readonly<Record<string, Kind>> = { text: 'text', number: 'number', file: 'file', names: 'names' }

/**
 * Parses a table of options: `-a` and `--all` are flags, `-n=number` and `--lines=number` require a value,
 * `--color[=text]` and `-M[text]` can have one in the same word, and `-NUM` stands for numbers such as `-20`.
 */
export function options(text: string, kinds: Readonly<Record<string, Kind>> = {}): OptionTable {
  const table = new Map<string, { value?: 'required' | 'attached'; kind: Kind }>()
  for (const option of `${text} --help --version`.split(/\s+/).filter((each) => each !== '' && each !== '-NUM')) {
    const [, name = '', attached, required] = /^(--?[\w.-]+?)(?:\[=?(\w+)\]|=(\w+))?$/.exec(option) ?? []
    const kind = kinds[attached ?? required ?? ''] ?? KINDS[attached ?? required ?? ''] ?? 'text'
    table.set(name, {
      kind,
      ...(attached !== undefined && { value: 'attached' }),
      ...(required !== undefined && { value: 'required' }),
    })
  }
  return { get: (name) => table.get(name), digits: /(?:^|\s)-NUM(?:\s|$)/.test(text) }
}

/**
 * Parses the words of a program like getopt, including options after operands. Undefined when a word is not in its
 * grammar.
 */
export function parseWords(program: Program, words: readonly Word[]): Parsed | undefined {
  const found: { name: string; value: string | undefined }[] = []
  const operands: Word[] = []
  const paths: ReadPath[] = []
  let beforeDashes: number | undefined
  const take = (name: string, kind: Kind, value: Word | undefined): boolean => {
    if (!value?.known || !fits(kind, value.text)) return false
    found.push({ name, value: value.text })
    if (isPath(kind)) paths.push({ ...value, covers: kind })
    return true
  }
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!
    const { text } = word
    const isOption = beforeDashes === undefined && text.startsWith('-') && text !== '-'
    if (program.strict && isOption && operands.length > 0) return undefined
    if (!word.known) {
      if (!word.glob || (beforeDashes === undefined && !/^[\w./~]/.test(text) && !program.anyOption) || isOption)
        return undefined
      operands.push(word)
    } else if (!isOption) operands.push(word)
    else if (text === '--') beforeDashes = operands.length
    else if (text.startsWith('--')) {
      const [name, value] = split(text)
      const option = program.options.get(name)
      if (!option || (value !== undefined && !option.value)) return undefined
      if (option.value === 'required') {
        if (!take(name, option.kind, value === undefined ? words[(at += 1)] : { text: value, known: true }))
          return undefined
      } else if (value === undefined) found.push({ name, value })
      else if (!take(name, option.kind, { text: value, known: true })) return undefined
    } else {
      for (let index = 1; index < text.length; index += 1) {
        const name = `-${text[index]}`
        if (program.options.digits && /\d/.test(text[index]!)) {
          found.push({ name: '-NUM', value: text[index] })
          continue
        }
        const option = program.options.get(name)
        if (!option) return undefined
        if (program.strict && (index > 1 || (!option.value && text.length > 2))) return undefined
        if (!option.value) {
          found.push({ name, value: undefined })
          continue
        }
        const rest = text.slice(index + 1)
        if (rest === '' && option.value === 'attached') found.push({ name, value: undefined })
        else if (!take(name, option.kind, rest === '' ? words[(at += 1)] : { text: rest, known: true }))
          return undefined
        break
      }
    }
  }
  return { options: found, operands, beforeDashes: beforeDashes ?? operands.length, paths }
}

/** What a program reads with these words; undefined when they are not all in its grammar. */
export function readPaths(program: Program, words: readonly Word[]): ReadPath[] | undefined {
  const parsed = parseWords(program, words)
  if (!parsed) return undefined
  const { operands, paths } = parsed
  if (operands.length < (program.least ?? 0) || operands.length > (program.most ?? Infinity)) return undefined
  if (program.noPlus && operands.some((word) => word.text.startsWith('+'))) return undefined
  if (program.reads) return program.reads(parsed)
  const kinds = program.operands ?? []
  if (operands.length > 0 && kinds.length === 0) return undefined
  // A glob expands to an unknown number of names, so the words after it may be of any kind.
  const firstGlob = operands.findIndex((word) => word.glob)
  if (firstGlob >= 0 && (firstGlob < kinds.length - 1 || operands.length > (program.most ?? Infinity) - 1))
    return undefined
  const read = [...paths]
  for (const [index, word] of operands.entries()) {
    const kind = kinds[Math.min(index, kinds.length - 1)]!
    if (!isPath(kind)) {
      if (!word.known || !fits(kind, word.text)) return undefined
    } else if (word.text !== '-') read.push({ ...word, covers: kind })
  }
  return read
}

/** Whether an option is present, under any of its names. */
export function has({ options: given }: Parsed, ...names: string[]): boolean {
  return given.some(({ name }) => names.includes(name))
}

/** The values of an option, under any of its names. */
export function valuesOf({ options: given }: Parsed, ...names: string[]): string[] {
  return given.flatMap(({ name, value }) => (names.includes(name) && value !== undefined ? [value] : []))
}

function split(text: string): [string, string?] {
  const at = text.indexOf('=')
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

function fits(kind: Kind, text: string): boolean {
  if (kind === 'number') return /^[-+]?\d+[A-Za-z]{0,3}$/.test(text)
  return kind instanceof RegExp ? kind.test(text) : true
}

function isPath(kind: Kind): kind is 'file' | 'names' | 'contents' {
  return kind === 'file' || kind === 'names' || kind === 'contents'
}
