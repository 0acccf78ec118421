/** An `@word` that is being written. */
export interface OpenMention {
  /** What stands after the `@`. */
  query: string
  /** Where the `@` is and where the word ends. */
  start: number
  end: number
}

/** The mention the caret is in, if any. `@` begins one only at the start of a word, so mail addresses are left alone. */
export function mentionAt(text: string, caret: number): OpenMention | undefined {
  const before = text.slice(Math.max(0, caret - 500), caret)
  const match = /(?:^|[\s([{"'`])@(?:"([^"\n]*)|([^\s"@]*))$/.exec(before)
  if (!match) return undefined
  const query = match[1] ?? match[2] ?? ''
  const quoted = match[1] !== undefined
  const start = caret - query.length - (quoted ? 2 : 1)
  const rest = /^[^\s"@]*/.exec(text.slice(caret))?.[0] ?? ''
  return { query, start, end: quoted ? caret : caret + rest.length }
}

/** The `/word` that is being written at the very beginning of the message, if the caret is in it. */
export function commandAt(text: string, caret: number): OpenMention | undefined {
  const match = /^\/([a-z0-9-]*|mcp:[\p{L}\p{N}_./:-]*)$/iu.exec(text.slice(0, caret))
  if (!match) return undefined
  // A slash begins paths, too: only behind `mcp:` it is part of a name.
  const rest = (match[1]?.includes(':') ? /^[\p{L}\p{N}_./:-]*/u : /^[\w-]*/).exec(text.slice(caret))?.[0] ?? ''
  return { query: match[1] ?? '', start: 0, end: caret + rest.length }
}

/** The text with a resource of a server in the mention's place; it stays open where more of its address has to follow. */
export function withResource(text: string, mention: OpenMention, word: string, isOpen: boolean): { text: string; caret: number } {
  const quoted = /\s/.test(word)
  const written = quoted ? `@"${word}${isOpen ? '' : '"'}` : `@${word}`
  const after = text.slice(mention.end)
  const gap = isOpen || /^\s/.test(after) ? '' : ' '
  const head = text.slice(0, mention.start) + written + gap
  return { text: head + after, caret: head.length + (gap === '' && !isOpen ? 1 : 0) }
}

/** The text with a path in the mention's place, and where the caret goes. A folder stays open, to go on inside it. */
export function withMention(text: string, mention: OpenMention, path: string, isFolder: boolean): { text: string; caret: number } {
  const clean = path.replace(/\/+$/, '')
  const name = isFolder ? `${clean}/` : clean
  const quoted = /\s/.test(name)
  const word = quoted ? `@"${name}${isFolder ? '' : '"'}` : `@${name}`
  const after = text.slice(mention.end)
  const gap = isFolder || /^\s/.test(after) ? '' : ' '
  const head = text.slice(0, mention.start) + word + gap
  return { text: head + after, caret: head.length + (gap === '' && !isFolder ? 1 : 0) }
}

/** The text with files and folders named at a place in it, those of the project from there; and where the caret goes. */
export function withPaths(
  text: string,
  at: number,
  paths: readonly { path: string; isFolder: boolean }[],
  folder: string | undefined,
): { text: string; caret: number } {
  const words = paths.map(({ path, isFolder }) => {
    const inside = folder !== undefined && (path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`))
    const name = `${inside ? path.slice(folder.length + 1) : path}${isFolder ? '/' : ''}`
    return /\s/.test(name) ? `@"${name}"` : `@${name}`
  })
  const before = text.slice(0, at)
  const after = text.slice(at)
  const head = `${before}${before === '' || /\s$/.test(before) ? '' : ' '}${words.join(' ')} `
  return { text: head + after.replace(/^ /, ''), caret: head.length }
}
