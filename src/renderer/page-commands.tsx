import { BellRing, Brain, CalendarClock, ChartColumn, Settings, SquareTerminal, ToggleLeft } from 'lucide-react'
import { FEATURE_TEXT, FEATURES, isFeatureOn } from '../shared/configuration/features'
import type { SettingsView } from '../shared/configuration/settings'
import { SETTINGS_INDEX, showSetting } from './features/settings/frame/settings-index'
import type { Command } from './features/shell/palette'
import { desktopBridge } from './state/page/desktop-bridge'
import { useLayout } from './state/page/layout-state'

/** Commands that open a page of the main area. */
export function pageCommands(settings: SettingsView | undefined): Command[] {
  return [
    {
      id: 'tasks',
      group: 'Go to',
      label: 'Tasks',
      keywords: 'background dashboard terminal processes ports servers',
      icon: <SquareTerminal aria-hidden />,
      run: () => useLayout.getState().openTasks(),
    },
    {
      id: 'notifications',
      group: 'Go to',
      label: 'Alarms and notifications',
      keywords: 'alarm timer countdown unread',
      icon: <BellRing aria-hidden />,
      run: () => useLayout.getState().openNotifications(),
    },
    {
      id: 'usage',
      group: 'Go to',
      label: 'Usage',
      keywords: 'cost money tokens spending budget price chart',
      icon: <ChartColumn aria-hidden />,
      run: () => useLayout.getState().openUsage(),
    },
    ...(isFeatureOn(settings, 'memory')
      ? [
          {
            id: 'memory',
            group: 'Go to',
            label: 'Memory',
            keywords: 'remember facts preferences forget',
            icon: <Brain aria-hidden />,
            run: () => useLayout.getState().openMemory(),
          },
        ]
      : []),
    ...(isFeatureOn(settings, 'scheduling')
      ? [
          {
            id: 'schedules',
            group: 'Go to',
            label: 'Schedules',
            keywords: 'cron timer heartbeat calendar runs',
            icon: <CalendarClock aria-hidden />,
            run: () => useLayout.getState().openSchedules(),
          },
        ]
      : []),
    {
      id: 'settings',
      group: 'Go to',
      label: 'Settings',
      icon: <Settings aria-hidden />,
      run: () => useLayout.getState().openSettings(),
    },
    ...FEATURES.filter((feature) => settings !== undefined && !isFeatureOn(settings, feature)).map((feature) => ({
      id: `turn-on-${feature}`,
      group: 'Go to',
      label: `Turn on ${FEATURE_TEXT[feature].label.toLowerCase()}…`,
      hint: 'Settings',
      keywords: FEATURE_TEXT[feature].description,
      onlySearched: true,
      icon: <ToggleLeft aria-hidden />,
      run: () => showSetting({ section: 'general', anchor: 'settings-features' }),
    })),
    ...SETTINGS_INDEX.filter(({ section }) => section !== 'desktop' || desktopBridge()).map((setting) => ({
      id: `settings-${setting.section}-${setting.label}`,
      group: 'Go to',
      label: `Settings: ${setting.label}`,
      keywords: `${setting.words} ${setting.section}`,
      onlySearched: true,
      icon: <Settings aria-hidden />,
      run: () => showSetting(setting),
    })),
  ]
}
