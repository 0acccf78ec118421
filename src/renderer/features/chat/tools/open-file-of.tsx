import { FileSearch } from 'lucide-react'
import type { ToolItem } from '../../../../shared/model/transcript-item'
import { useFoundFile } from '../../../state/file-links'
import { pathsIn } from '../../../state/path-text'
import { FileLink } from '../../../ui/content/file-link'

const FILE_TOOLS = new Set(['Read', 'Write', 'Edit', 'Patch', 'ReadMediaFile', 'apply_patch'])

/** The way from a row to the file it is about, beside the row's own button. */
export function OpenFileOf({ item }: { item: ToolItem }) {
  const place = FILE_TOOLS.has(item.name) ? placeOf(item) : undefined
  const file = useFoundFile(place?.path)
  if (!place || !file || file.isFolder) return null
  return (
    <span className="tool-open-file">
      <FileLink path={place.path} line={place.line}>
        <FileSearch aria-hidden />
        <span className="sr-only">Open {file.path}</span>
      </FileLink>
    </span>
  )
}

/** The file a call reads or changes, and the first line of it that is of interest. */
export function placeOf({ details, summary }: Pick<ToolItem, 'details' | 'summary'>): { path: string; line?: number } | undefined {
  if (details?.kind === 'file') return { path: details.path, line: details.line }
  if (details?.kind === 'diff') return { path: details.path, ...lineOf(details.diff) }
  if (details?.kind === 'media') return { path: details.path }
  const [first] = pathsIn(summary)
  return first && { path: first.path }
}

/** Where the first change is in the file as it is now. */
function lineOf(diff: string): { line?: number } {
  const [, start = ''] = /^@@ -\d+(?:,\d+)? \+(\d+)/m.exec(diff) ?? []
  if (start === '') return {}
  const body = diff.slice(diff.indexOf('@@')).split('\n').slice(1)
  const before = body.findIndex((line) => line.startsWith('+') || line.startsWith('-'))
  return { line: Number(start) + Math.max(0, before) }
}
