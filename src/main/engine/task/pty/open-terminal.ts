import { closeSync, constants, openSync } from 'node:fs'
import { TERMINAL_COLS, TERMINAL_ROWS } from '../output/screen-rows'
import { type OpenTerminal, openPtyMasters } from '../../process/shell-process'

/** The part of node-pty's native module in use (README.md says why). */
export interface NativePty {
  open(cols: number, rows: number): { master: number; slave: number; pty: string }
}

/** Loads node-pty's native part; rejects if it is missing. */
export async function loadNativePty(): Promise<NativePty> {
  const loaded = (await import('node-pty')) as unknown as { default?: { native?: unknown }; native?: unknown }
  const native = loaded.native ?? loaded.default?.native
  if (typeof native !== 'object' || native === null || !('open' in native) || typeof native.open !== 'function') {
    throw new Error('node-pty has no native part for this platform')
  }
  return native as NativePty
}

/** Opens a terminal; the caller closes both ends. Throws if the system has no free one. */
export function openTerminal(native: NativePty): OpenTerminal {
  const { master, slave: inherited, pty: path } = opened(native)
  try {
    const slave = openSync(path, constants.O_RDWR | constants.O_NOCTTY)
    openPtyMasters.add(master)
    return { master, slave, path }
  } catch (error) {
    closeSync(master)
    throw error
  } finally {
    closeSync(inherited)
  }
}

/** The native part does not say why it failed; opening other files shows whether descriptors ran out. */
function opened(native: NativePty): ReturnType<NativePty['open']> {
  try {
    return native.open(TERMINAL_COLS, TERMINAL_ROWS)
  } catch (error) {
    // It needs two descriptors at the same time.
    const first = openSync('/dev/null', constants.O_RDONLY)
    try {
      closeSync(openSync('/dev/null', constants.O_RDONLY))
    } finally {
      closeSync(first)
    }
    throw error
  }
}
