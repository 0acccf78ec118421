import { File, Folder, Plug, Slash, TextCursorInput } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { Completion } from './use-completion'

interface CompletionListProps {
  id: string
  found: readonly Completion[]
  chosen: number
  onChoose: (completion: Completion) => void
}

export const optionId = (listId: string, index: number): string => `${listId}-${index}`

/** Files and folders, or commands, that fit what was typed. The focus stays in the text; the chosen one is told by aria-activedescendant. */
export function CompletionList({ id, found, chosen, onChoose }: CompletionListProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const [first] = found
  const shown = found[chosen]
  return (
    <>
      <div
        ref={list}
        id={id}
        role="listbox"
        tabIndex={-1}
        aria-label={!first || 'path' in first || 'resource' in first ? 'Files' : 'command' in first ? 'Commands' : 'Values'}
        className="completion"
      >
        {found.map((completion, index) => (
          <div
            key={keyOf(completion)}
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
            <CompletionIcon completion={completion} />
            <span className="completion-name">{nameOf(completion)}</span>
            <span className="completion-folder">{detailOf(completion)}</span>
          </div>
        ))}
      </div>
      <div className="sr-only" aria-live="polite">
        {found.length} to choose from; {shown && `${nameOf(shown)} ${detailOf(shown)}`}
      </div>
    </>
  )
}

function CompletionIcon({ completion }: { completion: Completion }) {
  if ('command' in completion) return <Slash aria-hidden />
  if ('resource' in completion) return <Plug aria-hidden />
  if ('value' in completion) return <TextCursorInput aria-hidden />
  return completion.isFolder ? <Folder aria-hidden /> : <File aria-hidden />
}

function keyOf(completion: Completion): string {
  if ('command' in completion) return completion.command.name
  if ('value' in completion) return completion.value
  return 'resource' in completion ? `${completion.resource.server} ${completion.resource.uri}` : completion.path
}

function nameOf(completion: Completion): string {
  if ('command' in completion) return `/${completion.command.name}`
  if ('value' in completion) return completion.value
  if ('resource' in completion) return completion.resource.title ?? completion.resource.name
  const clean = completion.path.replace(/\/+$/, '')
  return clean.slice(clean.lastIndexOf('/') + 1) + (completion.isFolder ? '/' : '')
}

function detailOf(completion: Completion): string {
  if ('command' in completion) {
    const { description, origin } = completion.command
    return origin === undefined ? description : `${description} · ${origin}`
  }
  if ('value' in completion) return completion.open.argument.name
  if ('resource' in completion) {
    const { server, uri, isOpen } = completion.resource
    return `${uri}${isOpen ? '…' : ''} · ${server}`
  }
  const clean = completion.path.replace(/\/+$/, '')
  const at = clean.lastIndexOf('/')
  return at < 0 ? '' : clean.slice(0, at)
}
