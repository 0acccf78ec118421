import type { AppInfo } from '../shared/contract/app'
import type { SettingsView } from '../shared/model/settings'
import { BeginPage } from './features/first-run/begin-page'
import { ConnectProvider } from './features/settings/connect-provider'

export interface BeginViewProps {
  info: AppInfo | undefined
  settings: SettingsView | undefined
  /** A folder that was already meant. */
  folder: string | undefined
}

/** Where a session begins, with the settings' form for whoever has no provider yet. */
export function BeginView({ info, settings, folder }: BeginViewProps) {
  return (
    <BeginPage
      key={folder}
      info={info}
      settings={settings}
      folder={folder}
      renderConnect={(form) => settings && <ConnectProvider settings={settings} {...form} />}
    />
  )
}
