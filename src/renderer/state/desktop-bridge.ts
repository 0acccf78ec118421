import { DESKTOP_BRIDGE } from '../../shared/contract/port-wire'

interface DesktopBridge {
  /** Where a dropped file lies; empty for one that was made in the page. */
  pathOf(file: File): string
}

/** What the desktop app's preload script gives the page; undefined in a browser. */
export function desktopBridge(): DesktopBridge | undefined {
  const bridge: unknown = Reflect.get(globalThis, DESKTOP_BRIDGE)
  return typeof bridge === 'object' && bridge !== null && 'pathOf' in bridge ? (bridge as DesktopBridge) : undefined
}

/** A file or folder that was dropped, with its path. */
export interface DroppedPath {
  path: string
  isFolder: boolean
}

/** Whether files come with a drag. */
export function hasFiles(data: DataTransfer | null): boolean {
  return data?.types.includes('Files') ?? false
}

/** The dropped files and folders whose paths are known: only the desktop app knows any. To be called while the event is handled. */
export function droppedPaths(data: DataTransfer | null): DroppedPath[] {
  const bridge = desktopBridge()
  if (!bridge || !data) return []
  return [...data.items].flatMap((item) => {
    const file = item.kind === 'file' ? item.getAsFile() : null
    const path = file ? bridge.pathOf(file) : ''
    return path === '' ? [] : [{ path, isFolder: item.webkitGetAsEntry()?.isDirectory ?? false }]
  })
}
