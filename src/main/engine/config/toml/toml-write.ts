/** What can be written into the file. */
export type TomlInput = string | number | boolean | readonly TomlInput[] | { readonly [key: string]: TomlInput }

/** A value as TOML on one line. */
export function tomlValue(value: TomlInput): string {
  if (typeof value === 'string') return tomlString(value)
  if (typeof value === 'number') return tomlNumber(value)
  if (typeof value === 'boolean') return String(value)
  if (isList(value)) return `[${value.map(tomlValue).join(', ')}]`
  const entries = Object.entries(value).map(([key, item]) => `${tomlKey(key)} = ${tomlValue(item)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

export function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : tomlString(key)
}

export function isList(value: TomlInput): value is readonly TomlInput[] {
  return Array.isArray(value)
}

/** TOML is UTF-8, which has no lone surrogates: they become U+FFFD. */
export function wellFormed(value: TomlInput): TomlInput {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object') return value
  if (isList(value)) return value.map(wellFormed)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]))
}

/** JSON's escapes are TOML's, but for DEL, which TOML does not allow as it is. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f')
}

function tomlNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  // An integer beyond 64 bits is none in TOML; with an exponent it is a float.
  return Number.isInteger(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER ? value.toExponential() : String(value)
}
