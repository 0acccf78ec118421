import { useEffect } from 'react'
import { droppedPaths, hasFiles } from './desktop-bridge'
import { useLayout } from './layout-state'
import { tell } from './toasts-state'

/** A folder that is dropped anywhere on the page opens as a project. Without this the browser would open what is dropped in place of the page. */
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
      else tell('Drop files on the message box to add them to your message')
    }
    window.addEventListener('dragover', over)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragover', over)
      window.removeEventListener('drop', drop)
    }
  }, [])
}
