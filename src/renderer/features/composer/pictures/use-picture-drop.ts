import { useState, type ClipboardEvent, type DragEvent } from 'react'
import { pictureFiles } from './pictures'

interface PictureDropOptions {
  /** The model takes pictures. */
  imagesIn: boolean
  add: (files: File[]) => void
  /** Why something was not taken. */
  tell: (problem: string) => void
}

/** Pictures that are pasted, dropped or chosen, for the box a message is written in. */
export function usePictureDrop({ imagesIn, add, tell }: PictureDropOptions) {
  const [dragging, setDragging] = useState(false)
  const addPictures = (files: File[]): void => {
    if (files.length === 0) return
    if (imagesIn) add(files)
    else tell('This model takes no pictures. Choose another model to send them.')
  }
  return {
    dragging,
    addPictures,
    onPaste(event: ClipboardEvent): void {
      const files = pictureFiles(event.clipboardData)
      // Text copied from office programs comes with a picture of itself: then the text is meant.
      if (files.length === 0 || event.clipboardData.getData('text/plain') !== '') return
      event.preventDefault()
      addPictures(files)
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
      const files = pictureFiles(event.dataTransfer)
      if (files.length === 0) tell('Only pictures can be dropped here. Name a file with @ instead.')
      addPictures(files)
    },
  }
}
