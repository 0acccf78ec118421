import { Search } from 'lucide-react'
import { useState } from 'react'
import type { SettingsView } from '../../../shared/model/settings'
import { toolLabel } from '../../../shared/model/tool-label'
import { useLayout } from '../../state/layout-state'
import { useSettingsChange } from '../../state/settings-query'
import { tellFailure } from '../../state/toasts-state'
import { SectionHead } from '../../ui/section-head'
import { Switch } from '../../ui/switch'

/** From so many tools on, a filter is worth its place. */
const MANY = 15

/** Every tool that can be switched off, as a card: a click anywhere on it does. */
export function ToolsPart({ settings }: { settings: SettingsView }) {
  const [filter, setFilter] = useState('')
  const setTool = useSettingsChange((api, tool: { name: string; enabled: boolean }) => api.setToolEnabled(tool))
  const wanted = filter.trim().toLocaleLowerCase()
  const tools = settings.tools.filter((tool) =>
    `${tool.name} ${toolLabel(tool.name)} ${tool.description}`.toLocaleLowerCase().includes(wanted),
  )
  return (
    <section aria-labelledby="settings-tools">
      <SectionHead id="settings-tools" title="Tools" text="Disabled tools are hidden from the model." />
      {settings.tools.length >= MANY && (
        <div className="mb-2 flex h-[31px] items-center gap-2 rounded-md border border-line-strong bg-raised px-2.5 text-ink-3 has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-offset-1 has-[input:focus-visible]:outline-focus">
          <Search aria-hidden className="size-[14px]" />
          <input
            aria-label="Filter the tools"
            placeholder="Filter"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
            className="h-full min-w-0 flex-1 bg-transparent text-ui text-ink outline-none"
          />
        </div>
      )}
      <ul className="grid gap-2 min-[500px]:grid-cols-2 min-[800px]:grid-cols-3">
        {tools.map((tool) => {
          const pending = setTool.isPending && setTool.variables.name === tool.name
          return (
            <li
              key={tool.name}
              title={`In rules: ${tool.name}`}
              className="relative rounded-lg border border-line bg-raised/60 px-3.5 py-2.5 backdrop-blur-sm transition-colors duration-100 hover:border-line-strong"
            >
              <Switch
                covers
                label={toolLabel(tool.name)}
                description={tool.description}
                checked={pending ? setTool.variables.enabled : tool.enabled}
                onChange={(enabled) => setTool.mutate({ name: tool.name, enabled }, { onError: tellFailure })}
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
    </section>
  )
}
