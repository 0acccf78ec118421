import type { AppInfo } from '../../shared/contract/app/app'
import type { SettingsView } from '../../shared/configuration/settings'
import { BeginPage } from '../features/new-session/begin-page'
import { ModelPicker } from '../features/models/model-picker'
import { ConnectProvider } from '../features/settings/models/connect-provider'

export interface BeginViewProps {
  info: AppInfo | undefined
  settings: SettingsView | undefined
  /** The preselected folder. */
  folder: string | undefined
}

/** The start page, with the model picker, and the catalog of providers for users without one. */
export function BeginView({ info, settings, folder }: BeginViewProps) {
  return (
    <BeginPage
      key={folder}
      info={info}
      settings={settings}
      folder={folder}
      renderConnect={(form) => settings && <ConnectProvider settings={settings} {...form} />}
      renderModel={(pill) => settings && <ModelPicker settings={settings} side="bottom" {...pill} />}
    />
  )
}
