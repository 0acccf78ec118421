/** A run of lines that a proposal changes; `line`: its first line in the current text, from 1. */
export interface ProposedChange {
  line: number
  old: string[]
  new: string[]
}

/** A part of the diff between the current text and the proposed one. */
export type ProposalPart = { same: string[] } | { change: ProposedChange }

const MAX_DIFF_MS = 300

/** The parts of a proposal, in order. A diff that takes too long to compute becomes one change. */
export async function proposalParts(before: string, after: string): Promise<ProposalPart[]> {
  const { diffArrays } = await import('diff')
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const found = diffArrays(old, fresh, { timeout: MAX_DIFF_MS })
  if (!found) return [{ change: { line: 1, old, new: fresh } }]
  const parts: ProposalPart[] = []
  let line = 1
  for (const { value, added, removed } of found) {
    const last = parts.at(-1)
    if (!added && !removed) {
      parts.push({ same: value })
      line += value.length
      continue
    }
    const open = last && 'change' in last ? last.change : { line, old: [], new: [] }
    if (!last || !('change' in last)) parts.push({ change: open })
    if (added) open.new.push(...value)
    else {
      open.old.push(...value)
      line += value.length
    }
  }
  return parts
}

/** The text with only the accepted changes; `accepted` has their indexes among the changes. */
export function textWith(parts: readonly ProposalPart[], accepted: ReadonlySet<number>): string {
  let index = -1
  return parts
    .flatMap((part) => {
      if ('same' in part) return part.same
      index += 1
      return accepted.has(index) ? part.change.new : part.change.old
    })
    .join('')
}

/** Lines including their ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
