import { useState } from 'react'
import type { ToolSearchView } from '../../../shared/model/settings'
import { useSettingsChange } from '../../state/settings-query'
import { tellFailure } from '../../state/toasts-state'
import { Button } from '../../ui/button'
import { Switch } from '../../ui/switch'
import { TextField } from '../../ui/text-field'

type Numbers = Omit<ToolSearchView, 'enabled'>

/** The limits of the contract, and what they are called. */
const FIELDS: { key: keyof Numbers; label: string; hint: string; max: number; whole: boolean }[] = [
  { key: 'minPct', label: 'Turn on above (% of the context window)', hint: 'Default: 5', max: 100, whole: false },
  { key: 'minTokens', label: 'Or above (tokens)', hint: 'Default: 50,000', max: 100_000_000, whole: true },
  { key: 'matchingThreshold', label: 'Minimum result score', hint: 'Default: 1.5', max: 1000, whole: false },
]

/** Tool search: on or off, and from what size on. */
export function ToolSearchPart({ toolSearch }: { toolSearch: ToolSearchView }) {
  const save = useSettingsChange((api, change: Partial<ToolSearchView>) => api.setToolSearch(change))
  const change = (next: Partial<ToolSearchView>): void => save.mutate(next, { onError: tellFailure })
  return (
    <div className="mt-6 overflow-hidden rounded-lg border border-line bg-raised px-3.5 py-2">
      <Switch
        label="Tool search"
        description="Load MCP tools on demand instead of sending all of them with each request. Saves context when servers offer many tools."
        checked={toolSearch.enabled}
        onChange={(enabled) => change({ enabled })}
      />
      {toolSearch.enabled && (
        // Made anew when the file has changed, so that it shows what counts.
        <Thresholds key={JSON.stringify(toolSearch)} toolSearch={toolSearch} busy={save.isPending} onSave={change} />
      )}
    </div>
  )
}

function Thresholds({
  toolSearch,
  busy,
  onSave,
}: {
  toolSearch: ToolSearchView
  busy: boolean
  onSave: (change: Partial<Numbers>) => void
}) {
  const [texts, setTexts] = useState(() => Object.fromEntries(FIELDS.map(({ key }) => [key, String(toolSearch[key])])))
  const values = FIELDS.map((field) => ({ ...field, text: texts[field.key] ?? '', value: numberIn(texts[field.key] ?? '') }))
  const wrong = values.filter(({ value, max, whole }) => !(value >= 0 && value <= max && (!whole || Number.isInteger(value))))
  const changed = values.filter(({ key, value }) => value !== toolSearch[key])
  return (
    <form
      className="mt-2 border-t border-line pt-2.5 pb-1"
      onSubmit={(event) => {
        event.preventDefault()
        if (wrong.length === 0) onSave(Object.fromEntries(changed.map(({ key, value }) => [key, value])))
      }}
    >
      <div className="grid grid-cols-[repeat(auto-fit,minmax(190px,1fr))] items-start gap-3">
        {values.map((field) => (
          <TextField
            key={field.key}
            label={field.label}
            hint={field.hint}
            inputMode="decimal"
            value={field.text}
            error={wrong.includes(field) ? `A ${field.whole ? 'whole ' : ''}number from 0 to ${field.max.toLocaleString()}` : undefined}
            onChange={(event) => setTexts({ ...texts, [field.key]: event.target.value })}
          />
        ))}
      </div>
      <div className="mt-2 flex items-center gap-3">
        <p className="min-w-0 flex-1 text-small text-ink-3">
          Either of the first two is enough; with 0 for both, tools are always searched for.
        </p>
        <Button type="submit" size="small" busy={busy} disabled={wrong.length > 0 || changed.length === 0}>
          Save
        </Button>
      </div>
    </form>
  )
}

function numberIn(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text.trim().replaceAll(',', ''))
}
