import type { BrowserWindow } from 'electron'
import type { SessionSummary } from '../../../shared/model/session'
import type { ElectronModule } from './electron-module'

/** Longer lists are no help. */
const MOST_NAMED = 8
const ANSWERS = ['background', 'stop', 'cancel'] as const

/** What is to become of turns that run when the app is about to end. */
export async function askAboutWork(
  { dialog }: Pick<ElectronModule, 'dialog'>,
  running: readonly SessionSummary[],
  window: BrowserWindow | undefined,
  signal: AbortSignal,
): Promise<(typeof ANSWERS)[number]> {
  const names = running.slice(0, MOST_NAMED).map(({ title }) => `• ${(title === '' ? 'New session' : title).slice(0, 80)}`)
  if (running.length > MOST_NAMED) names.push(`and ${running.length - MOST_NAMED} more`)
  const question = {
    type: 'question' as const,
    message: running.length === 1 ? 'A session is still working.' : `${running.length} sessions are still working.`,
    detail: `${names.join('\n')}\n\nThey can finish in the background without a window. If you stop them, you can continue them the next time you open Trestle.`,
    buttons: ['Keep working in the background', 'Stop and quit', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
    signal,
  }
  const { response } = await (window ? dialog.showMessageBox(window, question) : dialog.showMessageBox(question))
  return ANSWERS[response] ?? 'cancel'
}
