import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { QUICK_PROMPT, type DesktopSettings, type DesktopView } from '../../../shared/configuration/settings'
import { useSettingsChange, useClient } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { Button } from '../../ui/button'
import { CONTROL_CLASS } from '../../ui/form/field'
import { Switch, SettingsSection, SettingsList } from '../../ui/form/settings-controls'

interface DesktopSectionProps {
  settings: DesktopSettings
  /** Undefined until it is known. */
  desktop: DesktopView | undefined
  platform: string | undefined
}

/** How the desktop app behaves on this computer. */
export function DesktopSection({ settings, desktop, platform }: DesktopSectionProps) {
  const client = useClient()
  const save = useSettingsChange((api, change: Partial<DesktopSettings>) => api.setDesktop(change))
  const change = (next: Partial<DesktopSettings>): void => save.mutate(next, { onError: showFailureToast })
  const graphics = useMutation({
    mutationFn: (enabled: boolean) => client.desktop.setAcceleratedGraphics({ enabled }),
    onError: showFailureToast,
  })
  const tray = platform === 'darwin' ? 'menu bar' : 'tray'
  return (
    <div className="space-y-9">
      <SettingsSection id="settings-background" title="Background">
        <SettingsList>
          <li>
            <Switch
              label={`Show an icon in the ${tray}`}
              description="Shows what is running and what needs you."
              checked={settings.tray}
              onChange={(wanted) => change({ tray: wanted })}
            />
          </li>
          {platform !== 'darwin' && (
            <li>
              <Switch
                label="Keep running when the last window is closed"
                description="Trestle stays in the tray."
                checked={settings.closeToTray && settings.tray}
                disabled={!settings.tray}
                onChange={(wanted) => change({ closeToTray: wanted })}
              />
            </li>
          )}
          <li>
            <Switch
              label="Start at login"
              description="Starts without a window."
              checked={settings.startAtLogin}
              onChange={(wanted) => change({ startAtLogin: wanted })}
            />
          </li>
          <li>
            <Switch
              label="Keep the computer awake while a session is working"
              description="The display can still turn off."
              checked={settings.keepAwake}
              onChange={(wanted) => change({ keepAwake: wanted })}
            />
          </li>
        </SettingsList>
      </SettingsSection>
      <SettingsSection
        id="settings-quick"
        title="Quick prompt"
        text="Start a session from any app with a keyboard shortcut."
      >
        <ShortcutField
          key={settings.quickPrompt}
          shortcut={settings.quickPrompt}
          problem={desktop?.quickPromptProblem}
          busy={save.isPending}
          onSave={(quickPrompt) => change({ quickPrompt })}
        />
      </SettingsSection>
      <SettingsSection id="settings-windows" title="Windows">
        <SettingsList>
          <li>
            <Switch
              label="Open each project in its own window"
              checked={settings.windowPerProject}
              onChange={(wanted) => change({ windowPerProject: wanted })}
            />
          </li>
          {platform !== 'darwin' && (
            <li>
              <Switch
                label="Show the menu bar"
                description="Its keyboard shortcuts work either way."
                checked={settings.menuBar}
                onChange={(wanted) => change({ menuBar: wanted })}
              />
            </li>
          )}
          <li>
            <Switch
              label="Graphics acceleration"
              description="Turn it off if windows flicker, stay blank, or crash. Applies after a restart."
              checked={graphics.isPending ? graphics.variables : (desktop?.acceleratedGraphics ?? true)}
              disabled={!desktop}
              onChange={(wanted) => graphics.mutate(wanted)}
            />
          </li>
        </SettingsList>
      </SettingsSection>
    </div>
  )
}

interface ShortcutFieldProps {
  shortcut: string
  problem: string | undefined
  busy: boolean
  onSave: (shortcut: string) => void
}

function ShortcutField({ shortcut, problem, busy, onSave }: ShortcutFieldProps) {
  const id = useId()
  const [text, setText] = useState(shortcut)
  const [isWrong, setWrong] = useState(false)
  const error = isWrong
    ? 'Use one or more modifier keys and a key, for example Ctrl+Shift+Space.'
    : text === shortcut
      ? problem
      : undefined
  const save = (): void => {
    const wanted = text.trim()
    const fits = QUICK_PROMPT.pattern.test(wanted)
    setWrong(!fits)
    if (fits && wanted !== shortcut) onSave(wanted)
  }
  return (
    <form
      className="rounded-lg border border-line bg-raised px-3.5 py-3"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <label htmlFor={id} className="mb-1 block text-body font-medium">
        Shortcut
      </label>
      <div className="flex flex-wrap items-center gap-2">
        <input
          id={id}
          value={text}
          placeholder="Off"
          spellCheck={false}
          autoComplete="off"
          maxLength={100}
          aria-describedby={`${id}-note`}
          aria-invalid={error !== undefined || undefined}
          className={`${CONTROL_CLASS} max-w-[260px] min-w-[160px] flex-1`}
          onChange={(event) => {
            setText(event.target.value)
            setWrong(false)
          }}
        />
        <Button type="submit" busy={busy} disabled={text.trim() === shortcut}>
          Save
        </Button>
      </div>
      <p
        id={`${id}-note`}
        role={error === undefined ? undefined : 'alert'}
        className={error === undefined ? 'mt-1.5 text-small text-ink-3' : 'mt-1.5 text-small text-fail-ink'}
      >
        {error ?? 'For example Ctrl+Shift+Space. Leave empty to turn it off.'}
      </p>
    </form>
  )
}
