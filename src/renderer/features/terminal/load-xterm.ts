/** xterm and its add-ons, loaded when the first terminal is shown: no other page pays for them. */
export interface Xterm {
  Terminal: typeof import('@xterm/xterm').Terminal
  FitAddon: typeof import('@xterm/addon-fit').FitAddon
  SearchAddon: typeof import('@xterm/addon-search').SearchAddon
  SerializeAddon: typeof import('@xterm/addon-serialize').SerializeAddon
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
