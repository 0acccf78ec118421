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
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  return (
    <>
      <ul ref={list} id={id} role="listbox" aria-label="Files" className="completion">
        {found.map((completion, index) => (
          <li
            key={completion.path}
            id={optionId(id, index)}
            role="option"
            aria-selected={index === chosen}
            // The text keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(completion)}
          >
            {completion.isFolder ? <Folder aria-hidden /> : <File aria-hidden />}
            <span className="completion-name">{nameOf(completion)}</span>
            <span className="completion-folder">{folderOf(completion)}</span>
          </li>
        ))}
      </ul>
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
