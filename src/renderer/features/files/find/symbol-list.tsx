import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import type { FileSymbol } from '../../../../shared/model/project/file-view'
import { useFirstFocus } from '../../../ui/overlay/first-focus'
import { useClient } from '../../../state/page/queries'

const MARKS: Readonly<Record<FileSymbol['kind'], string>> = {
  class: 'C',
  function: 'f',
  method: 'm',
  type: 'T',
  value: 'v',
  section: '#',
}
const MAX_SHOWN = 200

interface SymbolListProps {
  sessionId: string
  path: string
  version: string
  onGo: (line: number) => void
  onClose: () => void
}

/** The symbols of a file, filtered by the typed text; Enter goes to one. */
export function SymbolList({ sessionId, path, version, onGo, onClose }: SymbolListProps) {
  const client = useClient()
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const { data: symbols, isPending } = useQuery({
    queryKey: ['outline', sessionId, path, version],
    queryFn: () => client.file.outline({ sessionId, path }),
    retry: false,
  })
  const shown = useMemo(() => {
    const wanted = text.trim().toLowerCase()
    const all = symbols ?? []
    return (wanted === '' ? all : all.filter(({ name }) => name.toLowerCase().includes(wanted))).slice(0, MAX_SHOWN)
  }, [symbols, text])
  useFirstFocus(field)
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const go = (symbol: FileSymbol | undefined): void => {
    if (symbol) onGo(symbol.line)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setChosen(Math.max(0, Math.min(shown.length - 1, chosen + step)))
    else if (event.key === 'Enter') go(shown[chosen])
    else if (event.key === 'Escape') onClose()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="file-symbols">
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={shown.length > 0 ? `${id}-${chosen}` : undefined}
        aria-label="Go to symbol"
        placeholder="Go to symbol"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
        onBlur={onClose}
      />
      <div ref={list} id={id} role="listbox" aria-label="Symbols">
        {shown.map((symbol, n) => (
          <div
            key={`${symbol.line} ${symbol.name}`}
            id={`${id}-${n}`}
            role="option"
            aria-selected={n === chosen}
            tabIndex={-1}
            style={{ paddingLeft: 8 + Math.min(symbol.depth, 6) * 14 }}
            onPointerDown={(event) => {
              event.preventDefault()
              go(symbol)
            }}
          >
            <i aria-hidden>{MARKS[symbol.kind]}</i>
            <span>{symbol.name}</span>
            <small>{symbol.line}</small>
          </div>
        ))}
      </div>
      {shown.length === 0 && (
        <p role="status">
          {isPending ? 'Reading the file…' : text === '' ? 'No symbols in this file' : 'No matching symbols'}
        </p>
      )}
    </div>
  )
}
