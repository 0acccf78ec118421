import { hash } from 'node:crypto'
import type { FileHunk } from '../../../shared/model/checkpoint'

const MOST_MS = 300
const MOST_LINES = 20_000

/** A stretch of lines that differs; `at`: index of its first line in the new text. */
interface Difference {
  at: number
  old: string[]
  new: string[]
}

/** Where two texts differ, line by line; undefined when that takes too long to find. */
export async function textHunks(before: string, now: string): Promise<FileHunk[] | undefined> {
  const differences = await differencesOf(before, now)
  return differences?.map((difference) => ({
    id: idOf(difference),
    line: difference.at + 1,
    lines: [...difference.old.map((line) => `-${bare(line)}`), ...difference.new.map((line) => `+${bare(line)}`)],
  }))
}

/** The new text with one stretch as it was before; undefined when there is no such stretch any more. */
export async function withoutHunk(before: string, now: string, id: string): Promise<string | undefined> {
  const difference = (await differencesOf(before, now))?.find((one) => idOf(one) === id)
  if (!difference) return undefined
  return linesOf(now)
    .toSpliced(difference.at, difference.new.length, ...difference.old)
    .join('')
}

async function differencesOf(before: string, now: string): Promise<Difference[] | undefined> {
  const [old, next] = [linesOf(before), linesOf(now)]
  if (old.length + next.length > MOST_LINES) return undefined
  const { diffArrays } = await import('diff')
  const parts = diffArrays(old, next, { timeout: MOST_MS })
  if (!parts) return undefined
  const differences: Difference[] = []
  let at = 0
  let open: Difference | undefined
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      open = undefined
      at += value.length
      continue
    }
    if (!open) differences.push((open = { at, old: [], new: [] }))
    if (removed) open.old.push(...value)
    if (added) {
      open.new.push(...value)
      at += value.length
    }
  }
  return differences
}

/** Each with its line end, so that together they are the text again. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function bare(line: string): string {
  return line.replace(/\r?\n$/, '')
}

function idOf(difference: Difference): string {
  return hash('sha256', JSON.stringify(difference), 'hex').slice(0, 16)
}
