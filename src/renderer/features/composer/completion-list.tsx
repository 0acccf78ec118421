import { File, Folder } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { Completion } from './use-completion'

interface CompletionListProps {
  id: string
  found: readonly Completion[]
  chosen: number
  onChoose: (completion: Completion) => void
}

export const optionId = (listId: string, index: number): string => `${listId}-${index}`

/** Files and folders that fit what was typed. The focus stays in the text; the chosen one is told by aria-activedescendant. */
export function CompletionList({ id, found, chosen, onChoose }: CompletionListProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  return (
    <>
      <div ref={list} id={id} role="listbox" tabIndex={-1} aria-label="Files" className="completion">
        {found.map((completion, index) => (
          <div
            key={completion.path}
            id={optionId(id, index)}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            onMouseDown={(event) => {
              // The text keeps the focus.
              event.preventDefault()
              onChoose(completion)
            }}
          >
            {completion.isFolder ? <Folder aria-hidden /> : <File aria-hidden />}
            <span className="completion-name">{nameOf(completion)}</span>
            <span className="completion-folder">{folderOf(completion)}</span>
          </div>
        ))}
      </div>
      <div className="sr-only" aria-live="polite">
        {found.length} {found.length === 1 ? 'file' : 'files'}; {found[chosen]?.path}
      </div>
    </>
  )
}

function nameOf({ path, isFolder }: Completion): string {
  const clean = path.replace(/\/+$/, '')
  return clean.slice(clean.lastIndexOf('/') + 1) + (isFolder ? '/' : '')
}

function folderOf({ path }: Completion): string {
  const clean = path.replace(/\/+$/, '')
  const at = clean.lastIndexOf('/')
  return at < 0 ? '' : clean.slice(0, at)
}
