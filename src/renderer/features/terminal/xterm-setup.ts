import type { FitAddon as Fit } from '@xterm/addon-fit'
import type { SearchAddon as Search } from '@xterm/addon-search'
import type { SerializeAddon as Serialize } from '@xterm/addon-serialize'
import type { Terminal as XtermTerminal, Terminal, ITheme } from '@xterm/xterm'

/** xterm and its add-ons, loaded when the first terminal is shown: other pages do not pay for them. */
export interface Xterm {
  Terminal: typeof XtermTerminal
  FitAddon: typeof Fit
  SearchAddon: typeof Search
  SerializeAddon: typeof Serialize
}

let loading: Promise<Xterm> | undefined

export function loadXterm(): Promise<Xterm> {
  loading ??= load().catch((error: unknown) => {
    // The page is older than the served files: the next terminal retries.
    loading = undefined
    throw error
  })
  return loading
}

async function load(): Promise<Xterm> {
  const [{ Terminal }, { FitAddon }, { SearchAddon }, { SerializeAddon }] = await Promise.all([
    import('@xterm/xterm'),
    import('@xterm/addon-fit'),
    import('@xterm/addon-search'),
    import('@xterm/addon-serialize'),
    import('@xterm/xterm/css/xterm.css'),
    // xterm measures cells when a terminal opens: with another font they would have the wrong width.
    document.fonts.load('11.5px "JetBrains Mono Variable"'),
    document.fonts.load('bold 11.5px "JetBrains Mono Variable"'),
  ])
  return { Terminal, FitAddon, SearchAddon, SerializeAddon }
}

/** Software renderers: slower than DOM rendering. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i

let quick: boolean | undefined

/** Renders a terminal with WebGL on a real graphics card; otherwise, and after a context loss, xterm uses the DOM. */
export async function drawWithWebgl(terminal: Terminal, isGone: () => boolean): Promise<void> {
  quick ??= hasGraphics()
  if (!quick) return
  const { WebglAddon } = await import('@xterm/addon-webgl')
  if (isGone()) return
  try {
    const addon = new WebglAddon()
    addon.onContextLoss(() => addon.dispose())
    terminal.loadAddon(addon)
  } catch {
    // No WebGL context available: the DOM renderer works as well.
  }
}

function hasGraphics(): boolean {
  const context = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true })
  const info = context?.getExtension('WEBGL_debug_renderer_info')
  const driver = String(
    info ? context?.getParameter(info.UNMASKED_RENDERER_WEBGL) : context?.getParameter(context.RENDERER),
  )
  context?.getExtension('WEBGL_lose_context')?.loseContext()
  return context !== null && !SOFTWARE.test(driver)
}

/** Queries of a program to its terminal: attributes, status and cursor, modes, window, settings, colors. */
const QUESTIONS = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { final: 't' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
  { prefix: '>', final: 'q' },
] as const
const SETTINGS = { intermediates: '$', final: 'q' } as const
const COLOURS = [4, 10, 11, 12] as const
/**
 * Titles and icon names, notifications, the working directory, the clipboard: a program in a view changes nothing
 * outside it.
 */
const OUTSIDE = [0, 1, 2, 7, 9, 52, 777, 1337] as const

/** Tells xterm that the sequence is handled. */
const swallow = (): boolean => true

/**
 * A view answers no queries. Its output is also shown elsewhere and again later: each view would answer, and an old
 * query in the log would be answered into whatever reads the terminal now, a password prompt for instance. Only the
 * user's input is sent to the program.
 */
export function ignoreTerminalQueries({ parser }: Pick<Terminal, 'parser'>): void {
  for (const question of QUESTIONS) parser.registerCsiHandler(question, swallow)
  parser.registerDcsHandler(SETTINGS, swallow)
  for (const outside of OUTSIDE) parser.registerOscHandler(outside, swallow)
  for (const colour of COLOURS) parser.registerOscHandler(colour, swallow)
}

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const

/** The tokens of the page as an xterm theme. */
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
    theme[`bright${name[0]?.toUpperCase() ?? ''}${name.slice(1)}` as keyof ITheme & `bright${string}`] = token(
      `ansi-bright-${name}`,
    )
  }
  return theme
}

/** The decoration of search matches. xterm accepts only #rrggbb here. */
export const SEARCH_COLORS = {
  matchBackground: '#5b4a12',
  matchOverviewRuler: '#a88928',
  activeMatchBackground: '#8a6a00',
  activeMatchBorder: '#e3b94d',
  activeMatchColorOverviewRuler: '#e3b94d',
}

/** Size of a terminal's text at 100%, in px. */
const USUAL_SIZE = 11.5

/** The font of terminals, as the user chose it under Settings → Appearance. */
export function terminalFont(): { fontFamily: string; fontSize: number } {
  const style = getComputedStyle(document.documentElement)
  const scale = Number(style.getPropertyValue('--code-scale')) || 1
  const face = style.getPropertyValue('--code-face').trim()
  return {
    fontFamily: face || "'JetBrains Mono Variable', 'JetBrains Mono', ui-monospace, monospace",
    fontSize: USUAL_SIZE * scale,
  }
}
