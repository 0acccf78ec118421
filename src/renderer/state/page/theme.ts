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

/** What the user chose; what is shown also depends on the system. */
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

/** Keeps `data-theme` on the page true to the choice and the system. The first value is set before the first paint by theme-before-paint.js. */
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

/** Has the desktop app's menus, dialogs and window follow the theme of the page. Returns how to stop. */
export function syncThemeToDesktop(client: TrestleClient): () => void {
  if (!desktopBridge()) return () => undefined
  // Told once more with the next choice, should it fail.
  const say = (): void => void client.desktop.setTheme({ theme: useTheme.getState().choice }).catch(() => undefined)
  say()
  return useTheme.subscribe(say)
}
