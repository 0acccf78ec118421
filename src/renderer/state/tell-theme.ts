import type { TrestleClient } from '../../shared/contract'
import { desktopBridge } from './desktop-bridge'
import { useTheme } from './theme'

/** Has the desktop app's menus, dialogs and window follow the theme of the page. Returns how to stop. */
export function tellTheme(client: TrestleClient): () => void {
  if (!desktopBridge()) return () => undefined
  // Told once more with the next choice, should it fail.
  const say = (): void => void client.desktop.setTheme({ theme: useTheme.getState().choice }).catch(() => undefined)
  say()
  return useTheme.subscribe(say)
}
