import { useState, type RefObject } from 'react'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/overlay/dialog'
import { DiffView } from '../../../ui/code/diff-view'

interface StaleNoteProps {
  path: string
  onDisk: string
  /** The current edited text. */
  mine: RefObject<string>
  isDeleted: boolean
  onReload: () => void
  onOverwrite: () => void
}

/** Says that the file changed during the edit, and lets the user choose. */
export function StaleNote({ path, onDisk, mine, isDeleted, onReload, onOverwrite }: StaleNoteProps) {
  const [diff, setDiff] = useState<string>()
  const compare = async (): Promise<void> => {
    const { createTwoFilesPatch } = await import('diff')
    setDiff(createTwoFilesPatch(path, path, onDisk, mine.current))
  }
  return (
    <div role="alert" className="file-banner">
      <span>
        {isDeleted
          ? 'This file was deleted while you were editing it.'
          : 'This file changed on disk while you were editing it.'}
      </span>
      {!isDeleted && (
        <>
          <Button size="small" onClick={() => void compare()}>
            Compare
          </Button>
          <Button size="small" onClick={onReload}>
            Reload, discard my changes
          </Button>
        </>
      )}
      <Button size="small" onClick={onOverwrite}>
        {isDeleted ? 'Save again' : 'Overwrite with mine'}
      </Button>
      {diff !== undefined && (
        <Dialog
          open
          onOpenChange={(open) => !open && setDiff(undefined)}
          title="Your changes"
          description={`From ${path} on disk to your text`}
          width={860}
          isText
        >
          <DiffView diff={diff} path={path} limit={400} />
        </Dialog>
      )}
    </div>
  )
}
