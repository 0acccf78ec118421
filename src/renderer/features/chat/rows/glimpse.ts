const MOST_CHARS = 160
/** So much of a text is looked at for one line of it. */
const LOOKED_AT = 400

/** One line of thoughts for a closed row: the latest while they go on, else the first. */
export function glimpse(text: string, live: boolean): string {
  const line = (live ? text.trimEnd().slice(-LOOKED_AT).split('\n').at(-1) : text.trimStart().slice(0, LOOKED_AT).split('\n')[0]) ?? ''
  const plain = withoutMarks(line)
  return live ? plain.slice(-MOST_CHARS) : plain.slice(0, MOST_CHARS)
}

/** A line of Markdown as it is read: without the marks of headings, lists, emphasis, code and links. */
export function withoutMarks(line: string): string {
  return (
    line
      .replace(/^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,9}[.)]\s+)+/, '')
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/`+([^`]*)`+/g, '$1')
      .replace(/(\*\*|__|~~)(?=\S)(.*?\S)\1/g, '$2')
      .replace(/(?<![\w*])\*(?=\S)([^*]*\S)\*(?![\w*])/g, '$1')
      .replace(/(?<![\w_])_(?=\S)([^_]*\S)_(?![\w_])/g, '$1')
      // What is still open while a line is being written.
      .replace(/\*\*|`/g, '')
      .trim()
  )
}
