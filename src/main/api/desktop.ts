import { isPagePath } from '../../shared/contract/page-paths'
import type { ApiDeps, Implementer } from './api-deps'

export function desktopHandlers(os: Implementer, { host: { desktop } }: ApiDeps) {
  return {
    view: os.desktop.view.handler(() => desktop?.view() ?? null),
    setTheme: os.desktop.setTheme.handler(({ input }) => {
      desktop?.setTheme(input.theme)
      return desktop !== undefined
    }),
    setAcceleratedGraphics: os.desktop.setAcceleratedGraphics.handler(
      ({ input }) => desktop?.setAcceleratedGraphics(input.enabled) ?? null,
    ),
    openWindow: os.desktop.openWindow.handler(({ input: { path } }) => {
      const [address = ''] = path.split('?')
      return desktop !== undefined && isPagePath(address) && desktop.openWindow(path)
    }),
    resumeInterrupted: os.desktop.resumeInterrupted.handler(({ input }) => desktop?.resumeInterrupted(input.resume) ?? 0),
  }
}
