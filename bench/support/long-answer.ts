/**
 * Markdown as models write it: prose with inline code and links, lists, tables, code in several languages. Always the
 * same text.
 */
const PIECES = [
  (n: number) => `## Part ${n}: what happens on the way\n\n`,
  (n: number) =>
    `The request reaches \`handler${n}()\` first, which **validates** it and passes it on. ` +
    'From there it goes through the queue, so that a slow consumer never blocks the others; see [the ' +
    `notes](https://example.com/notes/${n}) for why. Naïve approaches fail here – 数据 and emoji 🙂 included.\n\n`,
  (n: number) =>
    `- first, the input is checked for *case ${n}*\n` +
    '- then it is stored with `append`\n- at last, everyone who listens is told\n\n',
  (n: number) =>
    `\`\`\`ts\nexport async function handle${n}(input: Input): Promise<Result> {\n` +
    `  const known = await store.find(input.id, { limit: ${n} })\n` +
    "  if (known === undefined) throw new Error('not found: ' + input.id)\n  // What was there is kept, " +
    'what is new is added.\n  return { ...known, items: [...known.items, ...input.items] }\n}\n```\n\n',
  (n: number) =>
    `| case | before | after |\n|---|---:|---:|\n| small | ${n} ms | 3 ms |\n| large | ${n * 7} ms | 21 ms |\n\n`,
  (n: number) =>
    `1. Read the file and note its \`mtime\`.\n2. Compare it with what was read before (${n} times in the ` +
    'log).\n3. Rewrite it, **atomically**.\n\n> A remark: this is what the old code did by accident.\n\n',
  (n: number) => `\`\`\`bash\n$ npm run bench -- case-${n} --repeat 20\n20 runs, 0 failed\n\`\`\`\n\n`,
]

/** A text of exactly this many UTF-16 units. */
export function longAnswer(length: number): string {
  let text = ''
  for (let n = 0; text.length < length; n++) text += PIECES[n % PIECES.length]!(n)
  return text.slice(0, length)
}
