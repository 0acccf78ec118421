import type { ToolCallContent } from '@agentclientprotocol/sdk'

type DiffContent = Extract<ToolCallContent, { type: 'diff' }>

/**
 * The stretches of a file that a unified diff changes, before and after, with the lines around them. A new file is given whole. Cut diffs give what there is
 * of them.
 */
export function diffContent(path: string, diff: string): { content: DiffContent[]; line?: number } {
  const [header = '', ...rest] = diff.split('\n')
  const isNew = header === '--- /dev/null'
  const content: DiffContent[] = []
  let first: number | undefined
  let hunk: Sides | undefined
  const close = (): void => {
    if (!hunk) return
    content.push({ type: 'diff', path, newText: hunk.new.join(''), oldText: isNew ? null : hunk.old.join('') })
    hunk = undefined
  }
  for (const line of rest.slice(1)) {
    const start = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(line)
    if (start) {
      close()
      hunk = { old: [], new: [], latest: [] }
      first ??= Math.max(1, Number(start[1]))
    } else if (hunk) {
      take(hunk, line)
    }
  }
  close()
  return { content, ...(first !== undefined && { line: first }) }
}

interface Sides {
  old: string[]
  new: string[]
  /** Those that the latest line belongs to. */
  latest: string[][]
}

function take(hunk: Sides, line: string): void {
  if (line.startsWith('\\')) {
    // It says that the line before it is not ended.
    for (const side of hunk.latest) side.push(side.pop()!.slice(0, -1))
    return
  }
  if (!/^[-+ ]/.test(line)) return
  hunk.latest = line.startsWith('-') ? [hunk.old] : line.startsWith('+') ? [hunk.new] : [hunk.old, hunk.new]
  for (const side of hunk.latest) side.push(`${line.slice(1)}\n`)
}
