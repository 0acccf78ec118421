import { Search } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { PERMISSION_MODES } from '../../../shared/model/approval'
import { confinementOf, MODE_NAMES, modeMeaning } from '../../../shared/model/sandbox-words'
import type { SettingsView } from '../../../shared/model/settings'
import { toolLabel } from '../../../shared/model/tool-label'
import { useSettingsChange } from '../../state/settings-query'
import { THEME_CHOICES, useTheme, type ThemeChoice } from '../../state/theme'
import { tellFailure } from '../../state/toasts-state'
import { RadioList } from '../../ui/radio-list'
import { Switch } from '../../ui/switch'
import { NotificationsPart } from './notifications-part'
import { SectionHead } from '../../ui/section-head'

const THEME_WORDS: Record<ThemeChoice, { name: string; meaning: string }> = {
  system: { name: 'System', meaning: 'As the operating system says, day and night.' },
  light: { name: 'Light', meaning: 'Ink on paper.' },
  dark: { name: 'Dark', meaning: 'The same, at night.' },
}

/** How it looks, how much is asked, and which tools the model is offered. */
export function GeneralSection({ settings, trustedFolders }: { settings: SettingsView; trustedFolders: ReactNode }) {
  const theme = useTheme()
  const setMode = useSettingsChange((api, mode: SettingsView['defaultPermissionMode']) => api.setDefaultMode({ mode }))
  const confinement = confinementOf(undefined, settings.sandbox)
  return (
    <div className="space-y-9">
      <section aria-labelledby="settings-theme">
        <SectionHead id="settings-theme" title="Appearance" />
        <RadioList
          label="Theme"
          value={theme.choice}
          onChange={theme.choose}
          options={THEME_CHOICES.map((value) => ({ value, label: THEME_WORDS[value].name, description: THEME_WORDS[value].meaning }))}
        />
      </section>
      <section aria-labelledby="settings-mode">
        <SectionHead id="settings-mode" title="Permission mode" text="Default for new sessions. You can change it in any session." />
        <RadioList
          label="Default permission mode"
          value={setMode.isPending ? setMode.variables : settings.defaultPermissionMode}
          onChange={(mode) => setMode.mutate(mode, { onError: tellFailure })}
          options={PERMISSION_MODES.map((value) => ({ value, label: MODE_NAMES[value], description: modeMeaning(value, confinement) }))}
        />
      </section>
      <NotificationsPart settings={settings} />
      <section aria-labelledby="settings-trust">
        <SectionHead
          id="settings-trust"
          title="Trusted folders"
          text="Projects whose own configuration (.trestle/config.toml) counts, with what it allows."
        />
        {trustedFolders}
      </section>
      <ToolsPart settings={settings} />
    </div>
  )
}

/** From so many tools on, a filter is worth its place. */
const MANY = 15

function ToolsPart({ settings }: { settings: SettingsView }) {
  const [filter, setFilter] = useState('')
  const setTool = useSettingsChange((api, tool: { name: string; enabled: boolean }) => api.setToolEnabled(tool))
  const wanted = filter.trim().toLocaleLowerCase()
  const tools = settings.tools.filter((tool) =>
    `${tool.name} ${toolLabel(tool.name)} ${tool.description}`.toLocaleLowerCase().includes(wanted),
  )
  return (
    <section aria-labelledby="settings-tools">
      <SectionHead id="settings-tools" title="Tools" text="A tool that is switched off is not offered to the model at all." />
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
      <ul className="overflow-hidden rounded-lg border border-line bg-raised">
        {tools.map((tool) => {
          const pending = setTool.isPending && setTool.variables.name === tool.name
          return (
            <li key={tool.name} className="border-t border-line px-3.5 py-2 first:border-t-0">
              <Switch
                label={toolLabel(tool.name)}
                description={toolLabel(tool.name) === tool.name ? tool.description : `${tool.description} · in rules: ${tool.name}`}
                checked={pending ? setTool.variables.enabled : tool.enabled}
                onChange={(enabled) => setTool.mutate({ name: tool.name, enabled }, { onError: tellFailure })}
              />
            </li>
          )
        })}
        {tools.length === 0 && <li className="px-3.5 py-3 text-ui text-ink-3">No tool fits.</li>}
      </ul>
    </section>
  )
}
