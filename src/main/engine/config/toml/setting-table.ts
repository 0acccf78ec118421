import type { TableReader } from './table-reader'

/** One setting: its key in config.toml, its default, its reader, and its documentation. */
export interface Setting<Value> {
  key: string
  value: Value
  about: string
  /** The default as shown in the documentation, if it isn't the value itself. */
  shown?: string
  /** The value in the file; undefined if missing or invalid, which the reader reports. */
  read(reader: TableReader): Value | undefined
}

type Settings = Readonly<Record<string, Setting<unknown>>>
type Optional<Fields extends Settings> = {
  [Name in keyof Fields]: undefined extends Fields[Name]['value'] ? Name : never
}[keyof Fields]
/** The values of a table; those without a default are optional. */
export type ValuesOf<Fields extends Settings> = {
  readonly [Name in Exclude<keyof Fields, Optional<Fields>>]: Fields[Name]['value']
} & { readonly [Name in Optional<Fields>]?: Exclude<Fields[Name]['value'], undefined> }

/**
 * A table of config.toml; the source of its reader, its defaults and its documentation (`scripts/setting-docs.ts`).
 */
export interface SettingTable<Fields extends Settings = Settings> {
  /** As in the file: `loop` for `[loop]`. */
  name: string
  fields: Fields
  defaults: ValuesOf<Fields>
  /** Reads the table; an invalid value is reported, and its default applies. */
  read(reader: TableReader | undefined): ValuesOf<Fields>
}

export function settingTable<const Fields extends Settings>(name: string, fields: Fields): SettingTable<Fields> {
  const valuesBy = (valueOf: (field: Setting<unknown>) => unknown): ValuesOf<Fields> =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([field, setting]) => {
        const value = valueOf(setting)
        return value === undefined ? [] : [[field, value]]
      }),
    ) as ValuesOf<Fields>
  const defaults = valuesBy(({ value }) => value)
  return {
    name,
    fields,
    defaults,
    read(reader) {
      if (!reader) return defaults
      const values = valuesBy((setting) => setting.read(reader) ?? setting.value)
      reader.finish()
      return values
    },
  }
}

export function flag(key: string, value: boolean, about: string): Setting<boolean> {
  return { key, value, about, read: (reader) => reader.flag(key) }
}

interface NumberRange {
  min: number
  max: number
  /** Default true. */
  whole?: boolean
  /** Factor from the file's unit to the program's: 1000 for seconds stored as ms. */
  scale?: number
}

/** `value` is in the unit of the program. */
export function number(key: string, value: number, range: NumberRange, about: string): Setting<number> {
  const { scale = 1 } = range
  return {
    key,
    value,
    about,
    shown: String(value / scale),
    read(reader) {
      const written = reader.number(key, range)
      return written === undefined ? undefined : scale === 1 ? written : Math.round(written * scale)
    },
  }
}

export function choice<const Choice extends string>(
  key: string,
  choices: readonly Choice[],
  value: NoInfer<Choice>,
  about: string,
): Setting<Choice> {
  return { key, value, about, read: (reader) => reader.oneOf(key, choices) }
}

/** Names in a list, each once. */
export function names(key: string, about: string): Setting<readonly string[]> {
  return {
    key,
    value: [],
    about,
    read(reader) {
      const written = reader.strings(key)
      return written && [...new Set(written)]
    },
  }
}

/** A setting with its own reader. */
export function custom<Value>(
  key: string,
  value: Value,
  about: string,
  read: (reader: TableReader) => Value | undefined,
  shown = '',
): Setting<Value> {
  return { key, value, about, shown, read }
}
