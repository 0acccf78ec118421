import type { Terminal } from '@xterm/xterm'

/** Drivers that only the processor plays: slower than elements. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i

let quick: boolean | undefined

/** Draws a terminal on the graphics card where there is a real one; otherwise, and when the card gives up, xterm draws with elements. */
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
    // No context to be had just now: elements do as well.
  }
}

function hasGraphics(): boolean {
  const context = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true })
  const info = context?.getExtension('WEBGL_debug_renderer_info')
  const driver = String(info ? context?.getParameter(info.UNMASKED_RENDERER_WEBGL) : context?.getParameter(context.RENDERER))
  context?.getExtension('WEBGL_lose_context')?.loseContext()
  return context !== null && !SOFTWARE.test(driver)
}
