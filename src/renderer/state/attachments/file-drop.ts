import { useState, type ClipboardEvent, type DragEvent } from 'react'
import { desktopBridge, droppedPaths, type DroppedPath } from '../page/desktop-bridge'
import { DRAGGED_PATHS, draggedPaths } from '../session/mentions'
import { longPaste } from './kept-files'
import { PDF_TYPE, PICTURE_TYPES } from './attachment'

interface FileDropOptions {
  /** The model accepts images. */
  imagesIn: boolean
  /** The project folder. */
  folder: string | undefined
  add: (files: File[]) => void
  /** Files and folders to mention by path instead of attaching them. */
  name: (paths: DroppedPath[]) => void
  /** Why something was not added. */
  showProblem: (problem: string) => void
}

/** The file handlers of a message field. */
export interface FileDrop {
  dragging: boolean
  addFiles: (files: File[]) => void
  onPaste: (event: ClipboardEvent) => void
  onDragOver: (event: DragEvent) => void
  onDragLeave: (event: DragEvent) => void
  onDrop: (event: DragEvent) => void
}

/**
 * Files that are pasted, dropped or chosen for the composer. Files of the project are mentioned, others are attached.
 * Every model accepts PDFs: as text if it does not support documents.
 */
export function useFileDrop({ imagesIn, folder, add, name, showProblem }: FileDropOptions): FileDrop {
  const [dragging, setDragging] = useState(false)
  const addFiles = (files: File[]): void => {
    const fitting = files.filter((file) => imagesIn || !PICTURE_TYPES.includes(file.type))
    if (fitting.length > 0) add(fitting)
    if (fitting.length < files.length)
      showProblem('This model doesn’t support images. Choose another model to send them.')
  }
  const drop = (data: DataTransfer): void => {
    const paths = droppedPaths(data)
    const folders = folderNames(data)
    const named = paths.filter(({ path, isFolder }) => isFolder || (isIn(folder, path) && !isMedia(data, path)))
    const isNamed = new Set(named.map(({ path }) => path))
    const bridge = desktopBridge()
    const files = [...data.files].filter((file) => !folders.has(file.name) && !isNamed.has(bridge?.pathOf(file) ?? ''))
    if (named.length > 0) name(named)
    if (files.length > 0) addFiles(files)
    else if (named.length === 0)
      showProblem('Folders cannot be attached here. Add the folder to the session, or drop its files.')
  }
  return {
    dragging,
    addFiles,
    onPaste(event: ClipboardEvent): void {
      const long = longPaste(event.clipboardData)
      if (long) {
        event.preventDefault()
        return add([long])
      }
      const files = [...event.clipboardData.files]
      // Text copied from office programs includes an image of the same text: paste the text.
      if (files.length === 0 || event.clipboardData.getData('text/plain') !== '') return
      event.preventDefault()
      addFiles(files)
    },
    onDragOver(event: DragEvent): void {
      if (!event.dataTransfer.types.includes('Files') && !event.dataTransfer.types.includes(DRAGGED_PATHS)) return
      event.preventDefault()
      setDragging(true)
    },
    onDragLeave(event: DragEvent): void {
      if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)))
        setDragging(false)
    },
    onDrop(event: DragEvent): void {
      setDragging(false)
      const dragged = draggedPaths(event.dataTransfer)
      if (dragged.length === 0 && !event.dataTransfer.types.includes('Files')) return
      event.preventDefault()
      if (dragged.length > 0) name(dragged)
      else drop(event.dataTransfer)
    },
  }
}

function isIn(folder: string | undefined, path: string): boolean {
  return folder !== undefined && (path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`))
}

/** Images and PDFs are attached, even those of the project. */
function isMedia(data: DataTransfer, path: string): boolean {
  const name = path.split(/[\\/]/).at(-1)
  const type = [...data.files].find((file) => file.name === name)?.type ?? ''
  return PICTURE_TYPES.includes(type) || type === PDF_TYPE
}

/** Names of the folders in a drop. */
function folderNames(data: DataTransfer): ReadonlySet<string> {
  return new Set(
    [...data.items].flatMap((item) => {
      const entry = item.kind === 'file' ? item.webkitGetAsEntry() : null
      return entry?.isDirectory ? [entry.name] : []
    }),
  )
}
