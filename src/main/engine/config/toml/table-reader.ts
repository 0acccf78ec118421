import { nearest } from '../../../../shared/nearest'
import { isTable, type TomlTable } from './parse-toml'

/** A mistake in the file; `path` is the path of its key. */
export interface Mistake {
  path: readonly (string | number)[]
  message: string
}

/**
 * Reads typed values from a table and collects mistakes as messages. An invalid value counts as missing, so a mistake
 * never affects anything else. `finish` reports the unknown keys.
 */
export class TableReader {
  readonly #table: TomlTable
  readonly #path: readonly (string | number)[]
  readonly #mistakes: Mistake[]
  readonly #known = new Set<string>()

  constructor(table: TomlTable, mistakes: Mistake[], path: readonly (string | number)[] = []) {
    this.#table = table
    this.#path = path
    this.#mistakes = mistakes
  }

  /** The table as `[a."b/c"]` for messages; empty at the top. */
  get name(): string {
    return this.#path.length === 0
      ? ''
      : `[${this.#path.map((part) => (/^[\w-]+$/.test(String(part)) ? part : JSON.stringify(part))).join('.')}]`
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#table, key)
  }

  /** `canBeEmpty`: an empty text is valid, too. */
  string(
    key: string,
    rule?: { test: (value: string) => boolean; must: string; canBeEmpty?: true },
  ): string | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    if (typeof value === 'string' && (value.trim() !== '' || rule?.canBeEmpty) && (rule?.test(value) ?? true))
      return value
    return this.#wrong(key, `must be ${rule?.must ?? 'text in quotes'}, not ${show(value)}`)
  }

  /** A text on one line that must not be quoted in a message. */
  secret(key: string, must: string): string | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    return typeof value === 'string' && value.trim() !== '' && !/\p{Cc}/u.test(value.trim())
      ? value.trim()
      : this.#wrong(key, must)
  }

  /** `aliases`: other names of the choices, not mentioned in messages. */
  oneOf<const T extends string>(
    key: string,
    choices: readonly T[],
    aliases: Readonly<Record<string, T>> = {},
  ): T | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    if (typeof value === 'string' && Object.hasOwn(aliases, value)) return aliases[value]
    return (
      choices.find((choice) => choice === value) ??
      this.#wrong(key, `must be ${list(choices)}, not ${show(value)}${meant(value, choices)}`)
    )
  }

  flag(key: string): boolean | undefined {
    const value = this.#take(key)
    if (value === undefined || typeof value === 'boolean') return value
    return this.#wrong(key, `must be true or false, not ${show(value)}`)
  }

  /** A number from `min` to `max`. */
  number(key: string, range: { min: number; max: number; whole?: boolean }): number | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    const fits =
      typeof value === 'number' &&
      value >= range.min &&
      value <= range.max &&
      (range.whole === false || Number.isInteger(value))
    return fits
      ? value
      : this.#wrong(
          key,
          `must be a ${range.whole === false ? '' : 'whole '}number from ${range.min} to ${range.max}, ` +
            `not ${show(value)}`,
        )
  }

  /** A list of strings, limited to `choices` if given; other elements are left out. */
  strings<const T extends string = string>(key: string, choices?: readonly T[]): T[] | undefined
  strings(key: string, choices?: readonly string[]): string[] | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    if (!Array.isArray(value)) return this.#wrong(key, `must be a list like ["a", "b"], not ${show(value)}`)
    const elements: unknown[] = value
    return elements.filter((element, index): element is string => {
      if (typeof element === 'string' && element.trim() !== '' && (choices?.includes(element) ?? true)) return true
      const wanted = choices ? list(choices) : 'text in quotes'
      const hint = choices ? meant(element, choices) : ''
      this.#mistakes.push({
        path: [...this.#path, key, index],
        message: `${this.#nameOf(key)} can hold ${wanted}, not ${show(element)}${hint}`,
      })
      return false
    })
  }

  /** A reader for a table within this one. */
  table(key: string): TableReader | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    if (isTable(value)) return new TableReader(value, this.#mistakes, [...this.#path, key])
    return this.#wrong(key, `must be a table, not ${show(value)}`)
  }

  /** A list of tables; `entry` is undefined for an element that is not a table. */
  tableList(key: string): { index: number; entry: TableReader | undefined }[] | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    if (!Array.isArray(value)) return this.#wrong(key, `must be a list of tables like [[${key}]], not ${show(value)}`)
    const elements: unknown[] = value
    return elements.map((element, index) => {
      const path = [...this.#path, key, index]
      if (isTable(element)) return { index, entry: new TableReader(element, this.#mistakes, path) }
      this.#mistakes.push({ path, message: `${this.#nameOf(key)} can hold tables, not ${show(element)}` })
      return { index, entry: undefined }
    })
  }

  /** All keys of this table whose value is a table, whatever their names. */
  tables(): [string, TableReader][] {
    return this.keys().flatMap((key) => {
      const reader = this.table(key)
      return reader ? [[key, reader] as [string, TableReader]] : []
    })
  }

  keys(): string[] {
    return Object.keys(this.#table)
  }

  /** Reports a mistake about a key, or without a key about the whole table, in the reader's format. */
  mistake(key: string | undefined, message: string): void {
    if (key !== undefined) this.#wrong(key, message)
    else this.#mistakes.push({ path: this.#path, message: `${this.name} ${message}` })
  }

  /** Reports all keys that were not read. */
  finish(): void {
    for (const key of this.keys()) {
      if (this.#known.has(key)) continue
      const [best] = nearest(key, this.#known, 1)
      const advice = best === undefined ? `; known here: ${[...this.#known].join(', ')}` : `; did you mean "${best}"?`
      this.#mistakes.push({
        path: [...this.#path, key],
        message: `Unknown key "${key}"${this.name === '' ? '' : ` in ${this.name}`}${advice}`,
      })
    }
  }

  #take(key: string): unknown {
    this.#known.add(key)
    return this.has(key) ? this.#table[key] : undefined
  }

  #nameOf(key: string): string {
    return this.name === '' ? key : `${key} in ${this.name}`
  }

  #wrong(key: string, message: string): undefined {
    this.#mistakes.push({ path: [...this.#path, key], message: `${this.#nameOf(key)} ${message}` })
    return undefined
  }
}

/** A value as written, shortened. Never used for secrets. */
function show(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (isTable(value)) return 'a table'
  if (value instanceof Date) return 'a date'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

function list(choices: readonly string[]): string {
  const quoted = choices.map((choice) => `"${choice}"`)
  return quoted.length === 1 ? (quoted[0] ?? '') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}

function meant(value: unknown, choices: readonly string[]): string {
  const [best] = typeof value === 'string' ? nearest(value, choices, 1) : []
  return best === undefined ? '' : `; did you mean "${best}"?`
}
