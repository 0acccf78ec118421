import { useState, type ClipboardEvent, type DragEvent } from 'react'
import { droppedPaths, type DroppedPath } from '../../../state/desktop-bridge'
import { attachableFiles, PDF_TYPE } from './pictures'

interface PictureDropOptions {
  /** The model takes pictures. */
  imagesIn: boolean
  add: (files: File[]) => void
  /** Files and folders that are not attached but named, by the place where they lie. */
  name: (paths: DroppedPath[]) => void
  /** Why something was not taken. */
  tell: (problem: string) => void
}

/** Pictures and PDFs that are pasted, dropped or chosen, for the box a message is written in. A PDF goes to every model: as text where it takes no documents. */
export function usePictureDrop({ imagesIn, add, name, tell }: PictureDropOptions) {
  const [dragging, setDragging] = useState(false)
  const addFiles = (files: File[]): void => {
    const fitting = files.filter((file) => imagesIn || file.type === PDF_TYPE)
    if (fitting.length > 0) add(fitting)
    if (fitting.length < files.length) tell("This model doesn't support images. Choose another model to send them.")
  }
  return {
    dragging,
    addFiles,
    onPaste(event: ClipboardEvent): void {
      const files = attachableFiles(event.clipboardData)
      // Text copied from office programs comes with a picture of itself: then the text is meant.
      if (files.length === 0 || event.clipboardData.getData('text/plain') !== '') return
      event.preventDefault()
      addFiles(files)
    },
    onDragOver(event: DragEvent): void {
      if (!event.dataTransfer.types.includes('Files')) return
      event.preventDefault()
      setDragging(true)
    },
    onDragLeave(event: DragEvent): void {
      if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) setDragging(false)
    },
    onDrop(event: DragEvent): void {
      setDragging(false)
      if (!event.dataTransfer.types.includes('Files')) return
      event.preventDefault()
      const files = attachableFiles(event.dataTransfer)
      // The desktop app knows where files lie: what cannot be attached is named.
      const isAttached = new Set(files.map(({ name: fileName }) => fileName))
      const named = droppedPaths(event.dataTransfer).filter(
        ({ path, isFolder }) => isFolder || !isAttached.has(path.split(/[\\/]/).at(-1) ?? ''),
      )
      if (named.length > 0) name(named)
      if (files.length > 0) addFiles(files)
      else if (named.length === 0) tell('Only images and PDFs can be dropped here. Mention other files with @.')
    },
  }
}
