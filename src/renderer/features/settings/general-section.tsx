import { type ReactNode, useState, type FormEvent } from 'react'
import { PERMISSION_MODES } from '../../../shared/model/approval/approval'
import { confinementOf, MODE_NAMES, modeDescription } from '../../../shared/configuration/sandbox-text'
import type { SettingsView, NotificationSettings } from '../../../shared/configuration/settings'
import { useSettingsChange, useAppInfo, useQueries } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { RadioList } from '../../ui/form/choice-fields'
import { Switch, SettingsSection, SettingsList } from '../../ui/form/settings-controls'
import { EnginePart } from './engine-part'
import { ToolsPart } from './tools-part'
import { playNotificationSound } from '../../state/notifications'
import { FEATURE_TEXT, type FeatureView } from '../../../shared/configuration/features'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../ui/button'

/** Permission mode, and the tools offered to the model. */
export function GeneralSection({
  settings,
  trustedFolders,
  trustedRepositories,
}: {
  settings: SettingsView
  trustedFolders: ReactNode
  trustedRepositories: ReactNode
}) {
  const setMode = useSettingsChange((api, mode: SettingsView['defaultPermissionMode']) => api.setDefaultMode({ mode }))
  const confinement = confinementOf(undefined, settings.sandbox)
  return (
    <div className="space-y-9">
      <SettingsSection
        id="settings-mode"
        title="Permission mode"
        text="Default for new sessions. You can change it in any session."
      >
        <RadioList
          label="Default permission mode"
          value={setMode.isPending ? setMode.variables : settings.defaultPermissionMode}
          onChange={(mode) => setMode.mutate(mode, { onError: showFailureToast })}
          options={PERMISSION_MODES.map((value) => ({
            value,
            label: MODE_NAMES[value],
            description: modeDescription(value, confinement),
          }))}
        />
      </SettingsSection>
      <EditorPart />
      <NotificationsPart settings={settings} />
      <SettingsSection
        id="settings-trust"
        title="Trusted folders"
        text="Projects allowed to apply their own settings (.trestle/config.toml)."
      >
        {trustedFolders}
      </SettingsSection>
      <SettingsSection
        id="settings-repositories"
        title="Trusted repositories"
        text="Git repositories allowed to run hooks, filters and other programs of their own."
      >
        {trustedRepositories}
      </SettingsSection>
      <FeaturesPart features={settings.features} />
      <ToolsPart settings={settings} />
      <EnginePart settings={settings} />
    </div>
  )
}

/** Whether Trestle sends notifications. In a browser, only this switch requests the browser's permission. */
function NotificationsPart({ settings }: { settings: SettingsView }) {
  const { data: info } = useAppInfo()
  const [permission, setPermission] = useState(browserPermission)
  const save = useSettingsChange((api, change: Partial<NotificationSettings>) => api.setNotifications(change))
  const change = (next: Partial<NotificationSettings>): void => save.mutate(next, { onError: showFailureToast })
  const { enabled, sound, finished } = settings.notifications
  const inBrowser = info?.host === 'web'
  const isAllowed = !inBrowser || permission === 'granted'

  const enable = async (wanted: boolean): Promise<void> => {
    if (wanted && inBrowser && permission === 'default') setPermission(await Notification.requestPermission())
    if (wanted !== enabled) change({ enabled: wanted })
  }
  return (
    <SettingsSection
      id="settings-notifications"
      title="Notifications"
      text="Notify me when a session needs me and Trestle is in the background."
    >
      <SettingsList>
        <li>
          <Switch
            label="Notify me"
            description={describe(inBrowser, permission, enabled)}
            checked={enabled && isAllowed}
            disabled={inBrowser && (permission === 'denied' || permission === 'unsupported')}
            onChange={(wanted) => void enable(wanted)}
          />
        </li>
        <li>
          <Switch
            label="Play a sound"
            description={inBrowser ? 'Two soft tones' : 'Your system’s notification sound'}
            checked={sound}
            disabled={!enabled}
            onChange={(wanted) => {
              change({ sound: wanted })
              // As a preview, and so that the browser allows sound from now on.
              if (wanted && inBrowser) void playNotificationSound()
            }}
          />
        </li>
        <li>
          <Switch
            label="When a session has finished"
            description="Also notify me when work finishes while I’m viewing something else"
            checked={finished}
            disabled={!enabled}
            onChange={(wanted) => change({ finished: wanted })}
          />
        </li>
      </SettingsList>
    </SettingsSection>
  )
}

type Permission = NotificationPermission | 'unsupported'

function browserPermission(): Permission {
  return 'Notification' in globalThis ? Notification.permission : 'unsupported'
}

function describe(inBrowser: boolean, permission: Permission, enabled: boolean): string {
  if (!inBrowser) return 'Uses system notifications.'
  if (permission === 'unsupported') return 'This browser doesn’t support notifications.'
  if (permission === 'denied') return 'Notifications are blocked. Allow them in your browser’s site settings.'
  if (permission === 'default')
    return enabled
      ? 'Not allowed in this browser yet. Turn it on and the browser will ask.'
      : 'The browser will ask you to allow it.'
  return 'Uses browser notifications while a Trestle page is open.'
}

/** Features that are off by default, each with the tokens it adds to a request. */
function FeaturesPart({ features }: { features: readonly FeatureView[] }) {
  const save = useSettingsChange((api, change: Pick<FeatureView, 'feature' | 'enabled'>) => api.setFeature(change))
  return (
    <SettingsSection
      id="settings-features"
      title="Features"
      text="While a feature is off, the model does not see its tools and none of it runs."
    >
      <SettingsList roomy>
        {features.map(({ feature, enabled, tokens }) => {
          const { label, description } = FEATURE_TEXT[feature]
          const isPending = save.isPending && save.variables.feature === feature
          return (
            <li key={feature} className="relative">
              <Switch
                covers
                label={label}
                description={`${description} Adds about ${tokens.toLocaleString()} tokens to each request.`}
                checked={isPending ? save.variables.enabled : enabled}
                onChange={(wanted) => save.mutate({ feature, enabled: wanted }, { onError: showFailureToast })}
              />
            </li>
          )
        })}
      </SettingsList>
    </SettingsSection>
  )
}

const AUTOMATIC = ''
const OTHER = 'other'

/** The editor that opens files; empty if this host cannot open one. */
function EditorPart() {
  const queries = useQueries()
  const queryClient = useQueryClient()
  const { data: openers } = useQuery(queries.file.openers.queryOptions({ staleTime: 0 }))
  const save = useSettingsChange((api, command: string) => api.setEditor({ command }))
  const [isOther, setOther] = useState(false)
  if (!openers?.reveals) return null
  const { editors, chosen = AUTOMATIC, editor } = openers
  const isListed = chosen === AUTOMATIC || editors.some(({ command }) => command === chosen)
  const set = (command: string): void =>
    save.mutate(command, {
      onError: showFailureToast,
      onSuccess: () => void queryClient.invalidateQueries({ queryKey: queries.file.openers.key() }),
    })
  const shows = isOther || !isListed
  return (
    <SettingsSection
      id="settings-editor"
      title="Editor"
      text="Opens files on Ctrl-click, at their line. Editors found on this machine are listed."
    >
      <RadioList
        label="Editor for files"
        value={shows ? OTHER : save.isPending ? save.variables : chosen}
        onChange={(value) => {
          setOther(value === OTHER)
          if (value !== OTHER) set(value)
        }}
        options={[
          {
            value: AUTOMATIC,
            label: 'Automatic',
            description:
              chosen === AUTOMATIC && editor !== undefined ? `Now ${editor}` : '$VISUAL or $EDITOR, or the first found',
          },
          ...editors.map(({ command, name }) => ({ value: command, label: name, description: command })),
          { value: OTHER, label: 'Another command', description: 'A program on the PATH, or its full path' },
        ]}
      />
      {shows && <CommandField key={chosen} start={isListed ? '' : chosen} onSave={set} />}
    </SettingsSection>
  )
}

function CommandField({ start, onSave }: { start: string; onSave: (command: string) => void }) {
  const [command, setCommand] = useState(start)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (command.trim() !== '') onSave(command.trim())
  }
  return (
    <form className="mt-2 flex gap-2" onSubmit={submit}>
      <input
        type="text"
        value={command}
        aria-label="Command of the editor"
        placeholder="zed"
        spellCheck={false}
        maxLength={500}
        className="h-[29px] min-w-0 flex-1 rounded-md border border-line-strong bg-raised px-2 font-mono text-ui"
        onChange={(event) => setCommand(event.target.value)}
      />
      <Button type="submit" disabled={command.trim() === '' || command.trim() === start}>
        Use
      </Button>
    </form>
  )
}
