import type { AppInfo } from '../../shared/contract/app/app'
import { Markdown } from '../features/chat/markdown/markdown-on-demand'
import { DevicesSection } from '../features/devices/devices-section'
import { McpSection } from '../features/mcp/mcp-section'
import { PlacesSection } from '../features/places/places-section'
import { PluginsSection } from '../features/plugins/plugins-section'
import { DesktopSection } from '../features/settings/desktop-section'
import { SettingsPage } from '../features/settings/settings-page'
import { ToolSearchPart } from '../features/settings/tools-part'
import { TrustQuestion, TrustedFolders, TrustedRepositories } from '../features/trust/trusted-list'
import { WorktreesSection } from '../features/worktree/worktrees-section'
import type { SettingsSection } from '../state/page/layout-state'
import { useDesktopView, useSettings } from '../state/page/queries'

export interface SettingsViewProps {
  section: SettingsSection
  /** The entry of the section to open. */
  item: string | undefined
  info: AppInfo | undefined
}

/** The settings in the main area, with the sections of other features. */
export function SettingsView({ section, item, info }: SettingsViewProps) {
  const { data: settings } = useSettings()
  const desktop = useDesktopView()
  return (
    <SettingsPage
      section={section}
      info={info}
      desktop={
        info?.host === 'electron' && settings ? (
          <DesktopSection settings={settings.desktop} desktop={desktop} platform={info.platform} />
        ) : undefined
      }
      Markdown={Markdown}
      trustedFolders={<TrustedFolders />}
      trustedRepositories={<TrustedRepositories />}
      plugins={<PluginsSection userHome={info?.userHome} />}
      places={<PlacesSection />}
      devices={<DevicesSection />}
      worktrees={<WorktreesSection userHome={info?.userHome} />}
      mcpServers={
        <McpSection
          info={info}
          shown={item}
          renderTrust={(folder) => <TrustQuestion folder={folder} userHome={info?.userHome} />}
          toolSearch={settings && <ToolSearchPart toolSearch={settings.toolSearch} />}
        />
      }
    />
  )
}
