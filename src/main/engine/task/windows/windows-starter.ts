import type { RunningProcess, Starter } from '../running-process'
import { fitsCommandLine } from './start-in-conpty'
import { startInWindowsPipes } from './start-in-windows-pipes'

export interface WindowsStarterOptions {
  /** Opens the pseudo console; rejects where Windows has none. Default: the one of node-pty. */
  console?: () => Promise<Starter>
  pipes?: Starter['start']
}

/**
 * How commands run on Windows: what a call waits for in plain pipes, what runs in the background for a person to look at and type into in a pseudo console. Without one, in pipes
 * as well.
 */
export async function windowsStarter({
  console: openConsole = async () => (await import('./start-in-conpty')).conptyStarter(),
  pipes = startInWindowsPipes,
}: WindowsStarterOptions = {}): Promise<Starter> {
  const inConsole = await openConsole().catch(() => undefined)
  return {
    start: (start, events): RunningProcess =>
      (start.background && inConsole && fitsCommandLine(start.command) ? inConsole.start : pipes)(start, events),
    warm() {},
    close: () => inConsole?.close(),
  }
}
