import type { ReactNode } from 'react'
import { nameInDiff } from '../../../shared/model/file-diffs'
import type { FileDiff } from '../../../shared/model/preview'
import './content.css'
import { DiffView } from './diff-view'

interface FileDiffListProps {
  files: readonly FileDiff[]
  /** Rows of each file shown at first. */
  limit?: number
  /** Put behind the last row of each file, once all of it is shown. */
  ends?: readonly ReactNode[]
}

/** The diffs of one call; where it changes several files, each under its name. */
export function FileDiffList({ files, limit, ends }: FileDiffListProps) {
  return files.map((file, index) => (
    <section key={index} aria-label={files.length > 1 ? nameInDiff(file) : undefined}>
      {files.length > 1 && (
        <p className="file-diff-name">
          <span className="font-mono">{nameInDiff(file)}</span>
          <span className="text-add-ink">+{file.added}</span> <span className="text-del-ink">−{file.removed}</span>
        </p>
      )}
      <DiffView diff={file.diff} path={file.path} {...(limit !== undefined && { limit })} end={ends?.[index]} />
      {file.note && <p className="file-diff-note">{file.note}</p>}
    </section>
  ))
}
