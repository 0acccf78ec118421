import type { Opener } from '../../../engine/tool/device/device-services'
import { openExternal } from './page-guard'
import type { ElectronModule } from '../platform/electron-module'

/** Opens pages in the user's browser, and files with their programs. */
export function desktopOpener(shell: ElectronModule['shell']): Opener {
  return {
    async url(url) {
      if (!(await openExternal(shell, url))) throw new Error(`${url} could not be opened.`)
    },
    async file(path) {
      const problem = await shell.openPath(path)
      if (problem !== '') throw new Error(problem)
    },
  }
}
