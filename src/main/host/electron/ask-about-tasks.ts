import type { BrowserWindow } from 'electron'
import type { Engine } from '../../engine/engine-api'
import type { ElectronModule } from './electron-module'

/** Longer lists are no help. */
const MOST_NAMED = 8
const ANSWERS = ['keep', 'stop', 'cancel'] as const

/** What is to become of background tasks, asked where the settings say so and some run; `undefined`: nothing to ask. */
export async function askAboutTasks(
  { dialog }: Pick<ElectronModule, 'dialog'>,
  { tasks }: Pick<Engine, 'tasks'>,
  window: BrowserWindow | undefined,
): Promise<(typeof ANSWERS)[number] | undefined> {
  if (tasks.onExit() !== 'ask') return undefined
  const running = (await tasks.list({ activeOnly: true })).filter(({ background }) => background)
  if (running.length === 0) return undefined
  const names = running.slice(0, MOST_NAMED).map(({ description, command }) => `• ${(description ?? command).slice(0, 80)}`)
  if (running.length > MOST_NAMED) names.push(`and ${running.length - MOST_NAMED} more`)
  const options = {
    type: 'question' as const,
    message: running.length === 1 ? 'A background task is running.' : `${running.length} background tasks are running.`,
    detail: `${names.join('\n')}\n\nThey can run on without Trestle, and are found again when it opens.`,
    buttons: ['Keep running', 'Stop', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
  }
  const { response } = await (window ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options))
  return ANSWERS[response] ?? 'cancel'
}
