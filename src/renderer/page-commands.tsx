import { BellRing, Brain, CalendarClock, ChartColumn, Settings, SquareTerminal } from 'lucide-react'
import { isFeatureOn } from '../shared/configuration/features'
import type { SettingsView } from '../shared/configuration/settings'
import type { Command } from './features/shell/palette'
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
  ]
}
