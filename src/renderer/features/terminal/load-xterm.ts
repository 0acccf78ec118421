import type { FitAddon as Fit } from '@xterm/addon-fit'
import type { SearchAddon as Search } from '@xterm/addon-search'
import type { SerializeAddon as Serialize } from '@xterm/addon-serialize'
import type { Terminal as XtermTerminal } from '@xterm/xterm'

/** xterm and its add-ons, loaded when the first terminal is shown: no other page pays for them. */
export interface Xterm {
  Terminal: typeof XtermTerminal
  FitAddon: typeof Fit
  SearchAddon: typeof Search
  SerializeAddon: typeof Serialize
}

let loading: Promise<Xterm> | undefined

export function loadXterm(): Promise<Xterm> {
  loading ??= load().catch((error: unknown) => {
    // A page that is older than what is served now: the next terminal tries again.
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
    // Cells are measured when a terminal opens: with another font they would have the wrong width.
    document.fonts.load('11.5px "JetBrains Mono Variable"'),
    document.fonts.load('bold 11.5px "JetBrains Mono Variable"'),
  ])
  return { Terminal, FitAddon, SearchAddon, SerializeAddon }
}
