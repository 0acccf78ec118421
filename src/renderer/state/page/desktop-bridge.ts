import { useEffect } from 'react'
import { DESKTOP_BRIDGE } from '../../../shared/contract/page-host'
import { useLayout } from './layout-state'
import { showToast } from './toasts-state'

interface DesktopBridge {
  /** Path of a dropped file; empty for one that was created in the page. */
  pathOf(file: File): string
}

/** The API of the desktop app's preload script; undefined in a browser. */
export function desktopBridge(): DesktopBridge | undefined {
  const bridge: unknown = Reflect.get(globalThis, DESKTOP_BRIDGE)
  return typeof bridge === 'object' && bridge !== null && 'pathOf' in bridge ? (bridge as DesktopBridge) : undefined
}

/** A file or folder that was dropped, with its path. */
export interface DroppedPath {
  path: string
  isFolder: boolean
}

/** Whether a drag carries files. */
function hasFiles(data: DataTransfer | null): boolean {
  return data?.types.includes('Files') ?? false
}

/**
 * The dropped files and folders whose paths are known, which only the desktop app knows. Call it while handling the
 * event.
 */
export function droppedPaths(data: DataTransfer | null): DroppedPath[] {
  const bridge = desktopBridge()
  if (!bridge || !data) return []
  return [...data.items].flatMap((item) => {
    const file = item.kind === 'file' ? item.getAsFile() : null
    const path = file ? bridge.pathOf(file) : ''
    return path === '' ? [] : [{ path, isFolder: item.webkitGetAsEntry()?.isDirectory ?? false }]
  })
}

/** Opens a folder dropped anywhere on the page as a project. Without this the browser would navigate to it. */
export function useFolderDrop(): void {
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.defaultPrevented || !hasFiles(event.dataTransfer)) return
      event.preventDefault()
    }
    const drop = (event: DragEvent): void => {
      if (event.defaultPrevented || !hasFiles(event.dataTransfer)) return
      event.preventDefault()
      const folder = droppedPaths(event.dataTransfer).find(({ isFolder }) => isFolder)
      if (folder) useLayout.getState().openNew(folder.path)
      else showToast('Drop files on the message box to add them to your message')
    }
    window.addEventListener('dragover', over)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragover', over)
      window.removeEventListener('drop', drop)
    }
  }, [])
}
