import { useState } from 'react'
import type { SettingsView, ToolSearchView } from '../../../shared/configuration/settings'
import { toolLabel } from '../../../shared/tool-label'
import { numberIn, wholeNumberIn } from '../../format/typed-number'
import { useLayout } from '../../state/page/layout-state'
import { useSettingsChange } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { Switch, SettingsSection } from '../../ui/form/settings-controls'
import { Button } from '../../ui/button'
import { TextField } from '../../ui/form/field'
import { FilterField } from '../../ui/form/filter-field'
import { cx } from '../../ui/cx'

/** Number of tools from which a filter is shown. */
const MANY = 15

/** Every tool that can be disabled, as a card: a click anywhere on it toggles the tool. */
export function ToolsPart({ settings }: { settings: SettingsView }) {
  const [filter, setFilter] = useState('')
  const setTool = useSettingsChange((api, tool: { name: string; enabled: boolean }) => api.setToolEnabled(tool))
  const wanted = filter.trim().toLocaleLowerCase()
  const tools = settings.tools.filter((tool) =>
    `${tool.name} ${toolLabel(tool.name)} ${tool.description}`.toLocaleLowerCase().includes(wanted),
  )
  return (
    <SettingsSection id="settings-tools" title="Tools" text="Disabled tools are hidden from the model.">
      {settings.tools.length >= MANY && (
        <FilterField
          label="Filter the tools"
          placeholder="Filter"
          value={filter}
          onChange={setFilter}
          className="mb-2 h-[31px]"
        />
      )}
      <ul className="grid gap-2 min-[500px]:grid-cols-2 min-[800px]:grid-cols-3">
        {tools.map((tool) => {
          const pending = setTool.isPending && setTool.variables.name === tool.name
          return (
            <li
              key={tool.name}
              title={`In rules: ${tool.name}`}
              className={cx(
                'relative rounded-lg border border-line bg-raised/60 px-3.5 py-2.5',
                'backdrop-blur-sm transition-colors duration-100 hover:border-line-strong',
              )}
            >
              <Switch
                covers
                label={toolLabel(tool.name)}
                description={tool.description}
                checked={pending ? setTool.variables.enabled : tool.enabled}
                onChange={(enabled) => setTool.mutate({ name: tool.name, enabled }, { onError: showFailureToast })}
              />
              {tool.missing !== undefined && (
                <p className="mt-1 text-small text-wait-ink">
                  {tool.missing}{' '}
                  <button
                    type="button"
                    // Above the label, which covers the card.
                    className="relative underline underline-offset-2"
                    onClick={() => useLayout.getState().openSettings('about')}
                  >
                    Show the file
                  </button>
                </p>
              )}
            </li>
          )
        })}
      </ul>
      {tools.length === 0 && <p className="px-1 py-2 text-ui text-ink-3">No matching tools</p>}
    </SettingsSection>
  )
}

type Numbers = Omit<ToolSearchView, 'enabled'>

/** The limits of the contract, and their labels. */
const FIELDS: { key: keyof Numbers; label: string; hint: string; max: number; whole: boolean }[] = [
  { key: 'minPct', label: 'Turn on above (% of the context window)', hint: 'Default: 5', max: 100, whole: false },
  { key: 'minTokens', label: 'Or above (tokens)', hint: 'Default: 50,000', max: 100_000_000, whole: true },
  { key: 'matchingThreshold', label: 'Minimum result score', hint: 'Default: 1.5', max: 1000, whole: false },
]

/** Tool search: on or off, and its thresholds. */
export function ToolSearchPart({ toolSearch }: { toolSearch: ToolSearchView }) {
  const save = useSettingsChange((api, change: Partial<ToolSearchView>) => api.setToolSearch(change))
  const change = (next: Partial<ToolSearchView>): void => save.mutate(next, { onError: showFailureToast })
  return (
    <div className="mt-6 overflow-hidden rounded-lg border border-line bg-raised px-3.5 py-2">
      <Switch
        label="Tool search"
        description={
          'Load MCP tools on demand instead of sending all of them with each request. ' +
          'Saves context when servers offer many tools.'
        }
        checked={toolSearch.enabled}
        onChange={(enabled) => change({ enabled })}
      />
      {toolSearch.enabled && (
        // Recreated when the file has changed, so that it shows the current values.
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
  const values = FIELDS.map((field) => ({
    ...field,
    text: texts[field.key] ?? '',
    value: (field.whole ? wholeNumberIn : numberIn)(texts[field.key] ?? ''),
  }))
  const wrong = values.filter(
    ({ value, max, whole }) => !(value >= 0 && value <= max && (!whole || Number.isInteger(value))),
  )
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
            error={
              wrong.includes(field)
                ? `A ${field.whole ? 'whole ' : ''}number from 0 to ${field.max.toLocaleString()}`
                : undefined
            }
            onChange={(event) => setTexts({ ...texts, [field.key]: event.target.value })}
          />
        ))}
      </div>
      <div className="mt-2 flex items-center gap-3">
        <p className="min-w-0 flex-1 text-small text-ink-3">
          Reaching either of the first two limits turns it on. With 0 for both, it is always on.
        </p>
        <Button type="submit" size="small" busy={busy} disabled={wrong.length > 0 || changed.length === 0}>
          Save
        </Button>
      </div>
    </form>
  )
}
