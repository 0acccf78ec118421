import type { ITheme } from '@xterm/xterm'

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const

/** The tokens of the page as xterm wants them. */
export function terminalTheme(): ITheme {
  const style = getComputedStyle(document.documentElement)
  const token = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  const theme: ITheme = {
    background: token('term'),
    foreground: token('term-ink'),
    cursor: token('term-ink'),
    cursorAccent: token('term'),
    selectionBackground: token('term-selection'),
    scrollbarSliderBackground: token('term-slider'),
    scrollbarSliderHoverBackground: token('term-slider'),
    scrollbarSliderActiveBackground: token('ansi-bright-black'),
  }
  for (const name of NAMES) {
    theme[name] = token(`ansi-${name}`)
    theme[`bright${name[0]?.toUpperCase() ?? ''}${name.slice(1)}` as keyof ITheme & `bright${string}`] = token(`ansi-bright-${name}`)
  }
  return theme
}

/** How matches of a search are marked. xterm takes no other notation here than #rrggbb. */
export const MATCHES = {
  matchBackground: '#5b4a12',
  matchOverviewRuler: '#a88928',
  activeMatchBackground: '#8a6a00',
  activeMatchBorder: '#e3b94d',
  activeMatchColorOverviewRuler: '#e3b94d',
}
