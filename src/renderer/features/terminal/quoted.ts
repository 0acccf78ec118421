/** A path as one word of a shell. */
export function quotedPath(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
}

/** Output of a terminal as a block of a message, whatever backticks are in it. */
export function quotedOutput(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `From my terminal:\n\n${fence}\n${text.trimEnd()}\n${fence}\n`
}
