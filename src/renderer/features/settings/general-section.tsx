import type { ReactNode } from 'react'
import { PERMISSION_MODES } from '../../../shared/model/approval'
import { confinementOf, MODE_NAMES, modeMeaning } from '../../../shared/model/sandbox-words'
import type { SettingsView } from '../../../shared/model/settings'
import { useSettingsChange } from '../../state/settings-query'
import { THEME_CHOICES, useTheme, type ThemeChoice } from '../../state/theme'
import { tellFailure } from '../../state/toasts-state'
import { RadioList } from '../../ui/radio-list'
import { NotificationsPart } from './notifications-part'
import { SectionHead } from '../../ui/section-head'
import { ToolsPart } from './tools-part'

const THEME_WORDS: Record<ThemeChoice, string> = { system: 'Match system', light: 'Light', dark: 'Dark' }

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
          options={THEME_CHOICES.map((value) => ({ value, label: THEME_WORDS[value] }))}
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
          text="Projects allowed to apply their own settings (.trestle/config.toml)."
        />
        {trustedFolders}
      </section>
      <ToolsPart settings={settings} />
    </div>
  )
}
