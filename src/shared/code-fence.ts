/** What begins and ends a block of code in Markdown, whatever backticks are in the text. */
export function fenceFor(text: string): string {
  const runs = text.match(/`+/g) ?? []
  return '`'.repeat(runs.reduce((longest, { length }) => Math.max(longest, length), 2) + 1)
}
