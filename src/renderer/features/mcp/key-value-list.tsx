import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../ui/button'
import { cx } from '../../ui/cx'
import { CONTROL_CLASS } from '../../ui/form/field'
import { newKeyValue, type KeyValue } from './server-fields'

interface PairListProps {
  label: string
  /** `variable`, `header`. */
  kind: string
  hint: string
  pairs: readonly KeyValue[]
  error: string | undefined
  onChange: (pairs: KeyValue[]) => void
}

/** Names with values that can be secrets: an existing value is not shown, and stays unless a new one is typed. */
export function KeyValueList({ label, kind, hint, pairs, error, onChange }: PairListProps) {
  const change = (id: number, part: Partial<KeyValue>): void =>
    onChange(pairs.map((pair) => (pair.id === id ? { ...pair, ...part } : pair)))
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1 text-small font-medium text-ink-2">{label}</legend>
      {pairs.map((pair) => (
        <div key={pair.id} className="flex items-center gap-1.5">
          <input
            aria-label={`Name of the ${kind}`}
            aria-invalid={error !== undefined || undefined}
            value={pair.name}
            spellCheck={false}
            autoComplete="off"
            placeholder="NAME"
            onChange={(event) => change(pair.id, { name: event.target.value })}
            className={cx(CONTROL_CLASS, 'flex-1 basis-0 font-mono text-small')}
          />
          <input
            aria-label={`Value of ${pair.name || `the ${kind}`}`}
            value={pair.value}
            spellCheck={false}
            autoComplete="off"
            placeholder={pair.kept ? 'unchanged; type to replace' : 'value or ${VARIABLE}'}
            onChange={(event) => change(pair.id, { value: event.target.value })}
            className={cx(CONTROL_CLASS, 'flex-[1.6] basis-0 font-mono text-small')}
          />
          <IconButton
            label={`Remove ${pair.name || `this ${kind}`}`}
            onClick={() => onChange(pairs.filter(({ id }) => id !== pair.id))}
          >
            <X aria-hidden />
          </IconButton>
        </div>
      ))}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button
          size="small"
          variant="quiet"
          icon={<Plus aria-hidden />}
          onClick={() => onChange([...pairs, newKeyValue()])}
        >
          Add a {kind}
        </Button>
        <p role={error ? 'alert' : undefined} className={cx('text-small', error ? 'text-fail-ink' : 'text-ink-3')}>
          {error ?? hint}
        </p>
      </div>
    </fieldset>
  )
}
