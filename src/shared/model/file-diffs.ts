import type { FileDiff, ToolDetails } from './preview'

/** The files that a call changed or would change; none for other details. */
export function fileDiffs(details: ToolDetails | undefined): readonly FileDiff[] {
  if (details?.kind === 'diff') return [details]
  return details?.kind === 'diffs' ? details.files : []
}

/** Lines added and removed in all files together; undefined when no file is changed. */
export function changedLines(details: ToolDetails | undefined): { added: number; removed: number } | undefined {
  const files = fileDiffs(details)
  if (files.length === 0) return undefined
  const sum = (count: (file: FileDiff) => number): number => files.reduce((total, file) => total + count(file), 0)
  return { added: sum((file) => file.added), removed: sum((file) => file.removed) }
}

/** The name of a file as its diff gives it: relative to the project where it lies in it. */
export function nameInDiff({ diff, path }: Pick<FileDiff, 'diff' | 'path'>): string {
  const [before = '', after = ''] = diff.split('\n', 2)
  return /^\+\+\+ b\/(.+)$/.exec(after)?.[1] ?? /^--- a\/(.+)$/.exec(before)?.[1] ?? path
}
