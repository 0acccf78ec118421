import { create } from 'zustand'
import { browserStorage } from './browser-storage'
import type { TrestleClient } from '../../../shared/contract'
import { desktopBridge } from './desktop-bridge'

export const THEME_CHOICES = ['system', 'light', 'dark'] as const
export type ThemeChoice = (typeof THEME_CHOICES)[number]

const KEY = 'trestle.theme'

function isChoice(value: string | undefined): value is ThemeChoice {
  return THEME_CHOICES.some((choice) => choice === value)
}

/** The user's choice; the theme on screen also depends on the system. */
export const useTheme = create<{ choice: ThemeChoice; choose: (choice: ThemeChoice) => void }>()((set) => {
  const saved = browserStorage.read(KEY)
  return {
    choice: isChoice(saved) ? saved : 'system',
    choose: (choice) => {
      browserStorage.write(KEY, choice)
      set({ choice })
    },
  }
})

/**
 * Keeps `data-theme` on the page in sync with the choice and the system. theme-before-paint.js sets the first value
 * before the first paint.
 */
export function followTheme(): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const apply = (): void => {
    const { choice } = useTheme.getState()
    document.documentElement.dataset.theme = choice === 'system' ? (system.matches ? 'dark' : 'light') : choice
  }
  apply()
  system.addEventListener('change', apply)
  const stop = useTheme.subscribe(apply)
  return () => {
    system.removeEventListener('change', apply)
    stop()
  }
}

/** Makes the desktop app's menus, dialogs and window follow the theme of the page. Returns the stop function. */
export function syncThemeToDesktop(client: TrestleClient): () => void {
  if (!desktopBridge()) return () => undefined
  // Ignored: sent again with the next change.
  const say = (): void => void client.desktop.setTheme({ theme: useTheme.getState().choice }).catch(() => undefined)
  say()
  return useTheme.subscribe(say)
}
