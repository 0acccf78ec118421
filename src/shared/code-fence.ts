/** The fence that opens and closes a code block in Markdown, longer than any run of backticks in the text. */
export function fenceFor(text: string): string {
  const runs = text.match(/`+/g) ?? []
  return '`'.repeat(runs.reduce((longest, { length }) => Math.max(longest, length), 2) + 1)
}
