import type { AppLog } from '../../log/app-log'
import type { ElectronModule } from './electron-module'

/**
 * Writes down errors that nothing caught, and tells the user of each once: the app may not be in order after one, so it offers a restart. One question
 * at a time, however many errors there are.
 */
export function watchUncaught({ app, dialog }: Pick<ElectronModule, 'app' | 'dialog'>, log: AppLog): void {
  const told = new Set<string>()
  let isAsking = false
  const tell = async (error: unknown): Promise<void> => {
    const message = error instanceof Error ? error.message : String(error)
    if (isAsking || told.has(message)) return
    told.add(message)
    isAsking = true
    try {
      // Before that no dialog can be shown.
      await app.whenReady()
      const { response } = await dialog.showMessageBox({
        type: 'error',
        message: 'Trestle ran into a problem',
        detail: `${message}\n\nYour sessions are saved. Restart Trestle if something doesn't work as it should. Details are in ${log.file}.`,
        buttons: ['Continue', 'Restart Trestle'],
        defaultId: 0,
        cancelId: 0,
      })
      if (response === 1) {
        app.relaunch()
        app.quit()
      }
    } catch (failure) {
      log(`the user could not be told of an error: ${describe(failure)}`)
    } finally {
      isAsking = false
    }
  }
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error: unknown) => {
      log(`unhandled: ${describe(error)}`)
      void tell(error)
    })
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
