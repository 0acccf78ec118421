import { Tabs } from 'radix-ui'
import { useEffect, useRef, type ComponentType, type ReactNode } from 'react'
import type { AppInfo } from '../../../shared/contract/app/app'
import { t } from '../../../shared/language/settings-messages'
import { failureFrom } from '../../client/failure-from'
import { SETTINGS_SECTIONS, useLayout, useMediaQuery, type SettingsSection } from '../../state/page/layout-state'
import { useSettings } from '../../state/page/queries'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { ErrorNote } from '../../ui/notice'
import { Skeleton } from '../../ui/loading'
import { AboutSection } from './about-section'
import { AgentsSection } from './agents/agents-section'
import { SkillsSection } from './skills/skills-section'
import { PermissionsSection } from './permissions/permissions-section'
import { AppearanceSection } from './look/appearance-section'
import { ShortcutsSection } from './look/shortcuts-section'
import { focusSetting } from './frame/settings-index'
import { SettingsSearch } from './frame/settings-search'
import { DiagnosticsSection } from './diagnostics-section'
import { GeneralSection } from './general-section'
import { HooksSection } from './hooks/hooks-section'
import { MailSection } from './mail/mail-section'
import { ModelsSection } from './models/models-section'
import { ProvidersSection } from './models/providers-section'
import { SandboxSection } from './sandbox-section'

interface SettingsPageProps {
  section: SettingsSection
  info: AppInfo | undefined
  /** The trusted folders, each with a button that revokes the trust. */
  trustedFolders: ReactNode
  /** The same for repositories that run their configured programs. */
  trustedRepositories: ReactNode
  /** The MCP servers, with all actions on them. */
  mcpServers: ReactNode
  /** The plugins, with all actions on them. */
  plugins: ReactNode
  /** The worktrees of sessions. */
  worktrees: ReactNode
  /** Other machines that sessions work on. */
  places: ReactNode
  /** Paired phones and other computers. */
  devices: ReactNode
  /** Undefined in a browser. */
  desktop: ReactNode | undefined
  /** Shows Markdown. */
  Markdown: ComponentType<{ text: string; streaming: boolean }>
}

/** The settings, in the main area. */
export function SettingsPage({
  section,
  info,
  trustedFolders,
  trustedRepositories,
  mcpServers,
  plugins,
  worktrees,
  places,
  devices,
  desktop,
  Markdown,
}: SettingsPageProps) {
  const { data: settings, error, refetch, isFetching } = useSettings()
  const sections = SETTINGS_SECTIONS.filter((name) => name !== 'desktop' || desktop !== undefined)
  const isWide = useMediaQuery('(min-width: 900px)')
  const tabs = useRef<HTMLDivElement>(null)
  // In a narrow window the tabs scroll, and a link or a turned screen may leave the selected one out of view.
  useEffect(() => {
    const tab = tabs.current?.querySelector(`[data-section="${section}"]`)
    tab?.scrollIntoView({ block: 'nearest', inline: isWide ? 'nearest' : 'center' })
  }, [section, isWide])
  // The setting that a link leads to.
  const item = useLayout(({ view }) => (view.kind === 'settings' && view.section === 'models' ? view.item : undefined))
  useEffect(() => {
    if (item !== undefined) focusSetting({ section: 'models', anchor: `settings-${item}` })
  }, [item])
  return (
    <Tabs.Root
      value={section}
      onValueChange={choose}
      orientation={isWide ? 'vertical' : 'horizontal'}
      className={cx('flex min-h-0 flex-1', !isWide && 'flex-col')}
    >
      <div
        className={cx(
          'flex-none border-line',
          isWide ? 'flex w-[196px] flex-col border-r px-2.5 py-2.5' : 'border-b px-3 pt-2',
        )}
      >
        <SettingsSearch sections={sections} />
        <Tabs.List
          ref={tabs}
          aria-label={t('settings.title')}
          className={cx(
            'flex gap-0.5',
            isWide ? 'mt-2 min-h-0 flex-1 flex-col overflow-y-auto' : 'overflow-x-auto py-2',
          )}
        >
          {sections.map((name) => (
            <Tabs.Trigger
              key={name}
              value={name}
              data-section={name}
              className={cx(
                'flex min-h-[28px] flex-none items-center gap-1.5 rounded-[6px] px-[9px]',
                'text-ui text-ink-2 hover:text-ink focus-visible:-outline-offset-2',
                'data-[state=active]:bg-raised data-[state=active]:font-medium',
                'data-[state=active]:text-ink data-[state=active]:shadow-[inset_0_0_0_1px_var(--line)]',
              )}
            >
              {t(`settings.section.${name}`)}
              {name === 'about' && settings && settings.problems.length > 0 && (
                <Badge tone="fail">{settings.problems.length}</Badge>
              )}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
      </div>
      {sections.map((name) => (
        <Tabs.Content
          key={name}
          value={name}
          tabIndex={-1}
          data-settings-panel={name}
          className="min-h-0 min-w-0 flex-1 overflow-y-auto outline-none"
        >
          <div className="mx-auto w-full max-w-[768px] px-6 py-6 max-mid:px-3">
            {settings ? (
              <>
                {name === 'providers' && <ProvidersSection settings={settings} />}
                {name === 'models' && (
                  <ModelsSection
                    settings={settings}
                    onAddProvider={() => useLayout.getState().openSettings('providers')}
                  />
                )}
                {name === 'mcp' && mcpServers}
                {name === 'mail' && <MailSection settings={settings} />}
                {name === 'skills' && <SkillsSection info={info} Markdown={Markdown} />}
                {name === 'hooks' && <HooksSection settings={settings} info={info} />}
                {name === 'plugins' && plugins}
                {name === 'agents' && <AgentsSection info={info} />}
                {name === 'permissions' && <PermissionsSection info={info} />}
                {name === 'sandbox' && <SandboxSection sandbox={settings.sandbox} />}
                {name === 'worktrees' && worktrees}
                {name === 'general' && (
                  <GeneralSection
                    settings={settings}
                    trustedFolders={trustedFolders}
                    trustedRepositories={trustedRepositories}
                  />
                )}
                {name === 'places' && places}
                {name === 'devices' && devices}
                {name === 'appearance' && <AppearanceSection />}
                {name === 'shortcuts' && <ShortcutsSection info={info} />}
                {name === 'desktop' && desktop}
                {name === 'diagnostics' && <DiagnosticsSection />}
                {name === 'about' && <AboutSection settings={settings} info={info} />}
              </>
            ) : error ? (
              <ErrorNote
                failure={failureFrom(error)}
                actions={
                  <Button size="small" busy={isFetching} onClick={() => void refetch()}>
                    {t('settings.tryAgain')}
                  </Button>
                }
              />
            ) : (
              <div role="status" aria-busy className="space-y-3">
                <span className="sr-only">{t('settings.loading')}</span>
                <Skeleton className="h-5 w-40" />
                <Skeleton className="h-16 w-full rounded-lg" />
                <Skeleton className="h-16 w-full rounded-lg" />
              </div>
            )}
          </div>
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}

function choose(value: string): void {
  const chosen = SETTINGS_SECTIONS.find((candidate) => candidate === value)
  if (chosen) useLayout.getState().openSettings(chosen)
}
