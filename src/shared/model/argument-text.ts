/** Longer values are laid out in lines. */
const ONE_LINE = 80

/** A value that a tool is called with, for people: a text as it is, anything else as JSON, in one line where that is short. */
export function argumentText(value: unknown): string {
  if (typeof value === 'string') return value
  const line = JSON.stringify(value) ?? ''
  return line.length <= ONE_LINE ? line : JSON.stringify(value, null, 2)
}
