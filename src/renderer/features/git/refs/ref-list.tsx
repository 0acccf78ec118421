import { Plus } from 'lucide-react'
import { useMemo, useState, type ReactNode } from 'react'
import { Button } from '../../../ui/button'
import { CONTROL_CLASS } from '../../../ui/form/field'
import { EmptyState } from '../../../ui/notice'

/** Maximum number of rows; the filter finds the others. Few enough to need no virtual list. */
const MAX_SHOWN = 300

interface NamedRef {
  name: string
  /** Its full name, if the name alone could be ambiguous. */
  ref?: string
}

interface RefListProps<Ref extends NamedRef> {
  /** What they are: `branches`, `tags`. */
  kind: string
  /** Undefined while they are loading. */
  refs: readonly Ref[] | undefined
  icon: ReactNode
  create: { label: string; isPossible: boolean; run: () => void }
  renderRow: (ref: Ref) => ReactNode
}

/** Branches or tags with a filter, and a button that creates one. */
export function RefList<Ref extends NamedRef>({ kind, refs, icon, create, renderRow }: RefListProps<Ref>) {
  const [query, setQuery] = useState('')
  const words = query.trim().toLowerCase()
  const shown = useMemo(() => refs?.filter(({ name }) => name.toLowerCase().includes(words)), [refs, words])
  return (
    <>
      <div className="flex flex-none items-center gap-2 border-b border-line px-2 py-1.5">
        <input
          aria-label={`Filter ${kind}`}
          placeholder={`Filter ${kind}`}
          value={query}
          spellCheck={false}
          onChange={(event) => setQuery(event.target.value)}
          className={`${CONTROL_CLASS} h-[27px]!`}
        />
        <Button size="small" icon={<Plus aria-hidden />} disabled={!create.isPossible} onClick={create.run}>
          {create.label}
        </Button>
      </div>
      {shown && shown.length === 0 ? (
        <EmptyState icon={icon} title={words === '' ? `No ${kind} yet` : `No matching ${kind}`} className="m-auto" />
      ) : (
        <div className="min-h-0 flex-1 overflow-y-auto">
          <ul aria-label={`${kind.charAt(0).toUpperCase()}${kind.slice(1)}`}>
            {shown?.slice(0, MAX_SHOWN).map((ref) => (
              <li key={ref.ref ?? ref.name}>{renderRow(ref)}</li>
            ))}
          </ul>
          {shown && shown.length > MAX_SHOWN && (
            <p className="px-3 py-2 text-small text-ink-3">
              And {(shown.length - MAX_SHOWN).toLocaleString()} more. Filter to find them.
            </p>
          )}
        </div>
      )}
    </>
  )
}
