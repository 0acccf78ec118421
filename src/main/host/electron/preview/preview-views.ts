import { randomUUID } from 'node:crypto'
import type { BrowserWindow } from 'electron'
import { CodedError } from '../../../../shared/errors'
import type { PreviewViews } from '../../../api/implementer'
import { previewTarget } from '../../../api/preview/preview-target'
import type { ElectronModule } from '../platform/electron-module'
import { PreviewView } from './preview-view'

/** The previews of one window. */
export function createPreviewViews(
  electron: Pick<ElectronModule, 'WebContentsView' | 'session'>,
  window: BrowserWindow,
): PreviewViews {
  const views = new Map<string, PreviewView>()
  const find = (viewId: string): PreviewView => {
    const view = views.get(viewId)
    if (!view) throw new CodedError('request.invalid', 'This preview is closed.')
    return view
  }
  return {
    open(url, onReport) {
      previewTarget(url)
      const viewId = randomUUID()
      views.set(viewId, new PreviewView({ electron, window, viewId, url, onReport }))
      return () => {
        views.get(viewId)?.close()
        views.delete(viewId)
      }
    },
    place: (viewId, place) => find(viewId).place(place),
    command: (viewId, command) => find(viewId).command(command),
    capture: (viewId) => find(viewId).capture(),
  }
}
