import { create } from 'zustand'
import { FONT_NAME, USUAL_APPEARANCE, type Appearance } from '../../../shared/configuration/appearance'
import type { Theme } from '../../../shared/configuration/appearance'
import type { TrestleClient } from '../../../shared/contract'
import { browserStorage } from './browser-storage'
import { desktopBridge } from './desktop-bridge'
import { showFailureToast } from './toasts-state'

const KEY = 'trestle.appearance'
/** Where earlier versions stored the theme in the browser. */
const OLD_KEY = 'trestle.theme'

/** The current appearance: from the settings, or a choice that is being saved. */
export const useAppearance = create<Appearance>()(() => ({ ...USUAL_APPEARANCE, ...stored() }))

/** The appearance that the host put into the page, or else the browser's copy. */
function stored(): Partial<Appearance> {
  const written =
    typeof document === 'undefined'
      ? undefined
      : (document.documentElement.dataset['appearance'] ?? browserStorage.read(KEY))
  return written === undefined ? {} : parsed(written)
}

function parsed(written: string): Partial<Appearance> {
  try {
    return JSON.parse(written) as Partial<Appearance>
  } catch {
    return {}
  }
}

/** The settings of the engine arrived or changed. */
export function receiveAppearance(client: TrestleClient, appearance: Appearance): void {
  const old = oldTheme()
  if (old !== undefined) {
    browserStorage.write(OLD_KEY, undefined)
    if (appearance.theme === 'system') return changeAppearance(client, { theme: old })
  }
  if (saving === 0) show(appearance)
}

function oldTheme(): Theme | undefined {
  const old = browserStorage.read(OLD_KEY)
  return old === 'light' || old === 'dark' ? old : undefined
}

function show(appearance: Appearance): void {
  browserStorage.write(KEY, JSON.stringify(appearance))
  useAppearance.setState(appearance)
}

/** The number of choices being saved. Until they are saved, the engine still sends the previous choice. */
let saving = 0

/** Shows a choice immediately and saves it for all windows; restores the previous one if that fails. */
export function changeAppearance(client: TrestleClient, change: Partial<Appearance>): void {
  const before = useAppearance.getState()
  show({ ...before, ...change })
  saving += 1
  const end = (saved: Appearance): void => {
    saving -= 1
    if (saving === 0) show(saved)
  }
  client.settings
    .setAppearance(change)
    .then(({ appearance }) => end(appearance))
    .catch((error: unknown) => {
      end(before)
      showFailureToast(error)
    })
}

/**
 * Keeps the attributes of the page in sync with the choice and the system. theme-before-paint.js sets the first values
 * before the first paint. Returns the stop function.
 */
export function followAppearance(): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const contrast = matchMedia('(prefers-contrast: more)')
  const apply = (): void =>
    applyAppearance(useAppearance.getState(), { dark: dark.matches, contrast: contrast.matches })
  apply()
  dark.addEventListener('change', apply)
  contrast.addEventListener('change', apply)
  const stop = useAppearance.subscribe(apply)
  // Another window of the same browser has saved a choice.
  const onStored = ({ key, newValue }: StorageEvent): void => {
    if (key === KEY && newValue !== null) useAppearance.setState(parsed(newValue))
  }
  window.addEventListener('storage', onStored)
  return () => {
    window.removeEventListener('storage', onStored)
    dark.removeEventListener('change', apply)
    contrast.removeEventListener('change', apply)
    stop()
  }
}

function applyAppearance(chosen: Appearance, system: { dark: boolean; contrast: boolean }): void {
  const { dataset, style } = document.documentElement
  const isDark = chosen.theme === 'dark' || (chosen.theme === 'system' && system.dark)
  const isHigh = chosen.contrast === 'high' || (chosen.contrast === 'system' && system.contrast)
  Object.assign(dataset, {
    theme: isDark ? 'dark' : 'light',
    contrast: isHigh ? 'high' : 'normal',
    accent: chosen.accent,
    density: chosen.density,
    motion: chosen.motion,
    font: chosen.interfaceFont,
  })
  style.setProperty('--text-scale', String(chosen.textSize / 100))
  style.setProperty('--code-scale', String(chosen.codeSize / 100))
  const isNamed = chosen.codeFont !== '' && FONT_NAME.pattern.test(chosen.codeFont)
  if (isNamed)
    style.setProperty('--code-face', `"${chosen.codeFont}", "JetBrains Mono Variable", ui-monospace, monospace`)
  else style.removeProperty('--code-face')
}

/** Makes the desktop app's menus, dialogs and window follow the theme of the page. Returns the stop function. */
export function syncThemeToDesktop(client: TrestleClient): () => void {
  if (!desktopBridge()) return () => undefined
  let sent: Theme | undefined
  const sendTheme = ({ theme }: Appearance): void => {
    if (theme === sent) return
    sent = theme
    // Ignored: sent again with the next change.
    client.desktop.setTheme({ theme }).catch(() => undefined)
  }
  sendTheme(useAppearance.getState())
  return useAppearance.subscribe(sendTheme)
}
