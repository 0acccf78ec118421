/** A field of a value that may not be an object. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

/** The fields of a JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value of unknown type is a JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
