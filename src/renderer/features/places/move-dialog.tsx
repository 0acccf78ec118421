import { useId, useState, type FormEvent } from 'react'
import type { Failure } from '../../../shared/errors'
import { MOVE_STEPS, type MovedIn, type MoveStep } from '../../../shared/model/place/move'
import { isScratchFolder } from '../../../shared/model/project/scratch-folder'
import { pathInPlace } from '../../../shared/model/place/place-folder'
import { failureFrom } from '../../client/failure-from'
import { folderName } from '../../format/folder-name'
import { useLayout } from '../../state/page/layout-state'
import { useClient } from '../../state/page/queries'
import { showToast } from '../../state/page/toasts-state'
import { isOutOfReach, stateText, usePlaces } from '../../state/places'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/overlay/dialog'
import { SelectField } from '../../ui/form/choice-fields'
import { TextField } from '../../ui/form/field'
import { Spinner } from '../../ui/loading'
import { ErrorNote } from '../../ui/notice'

export interface MoveDialogProps {
  sessionId: string
  title: string
  folder: string
  userHome: string | undefined
  /** Its current place; undefined: this machine. */
  place?: string
  onClose: () => void
}

/** The value for this machine; place names are never empty. */
const HERE = ''

interface Running {
  step: MoveStep
  text?: string
}

/** Moves a session to a place, or to this machine, and shows the progress. */
export function MoveDialog({ sessionId, title, folder, userHome, place, onClose }: MoveDialogProps) {
  const client = useClient()
  const formId = useId()
  const places = usePlaces().filter(({ placeId }) => placeId !== place)
  const [chosen, setChosen] = useState<string>()
  const target = chosen ?? (place === undefined ? places[0]?.placeId : HERE)
  const hasProject = folder !== '' && !isScratchFolder(folder)
  const home = target === HERE ? (userHome ?? '') : '~'
  const [typed, setTyped] = useState<string>()
  const into = typed ?? `${home}/${folderName(pathInPlace(folder), userHome).name}`
  const [running, setRunning] = useState<Running>()
  const [failure, setFailure] = useState<Failure>()
  const name = target === HERE ? 'this machine' : (target ?? '')

  const move = async (): Promise<void> => {
    if (target === undefined) return
    setFailure(undefined)
    setRunning({ step: 'connect' })
    try {
      const request = { sessionId, to: target === HERE ? null : target }
      const pushes = await client.place.move({
        ...request,
        ...(hasProject && into.trim() !== '' && { folder: into.trim() }),
      })
      for await (const push of pushes) {
        if (push.type === 'step') setRunning(push)
        else {
          showToast(doneText(name, push.moved))
          onClose()
        }
      }
    } catch (error) {
      setFailure(failureFrom(error))
    }
    setRunning(undefined)
  }

  if (target === undefined)
    return (
      <Dialog
        open
        onOpenChange={(open) => !open && onClose()}
        title="Move to…"
        description={title}
        footer={
          <Button
            variant="primary"
            onClick={() => {
              onClose()
              useLayout.getState().openSettings('places')
            }}
          >
            Add a place
          </Button>
        }
      >
        Sessions can move to another machine. Add one first.
      </Dialog>
    )
  const away = places.find(({ placeId }) => placeId === target)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !running && onClose()}
      title="Move to…"
      description={title}
      footer={
        <>
          <Button variant="quiet" disabled={running !== undefined} onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={formId} busy={running !== undefined}>
            Move
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="space-y-3"
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          if (!running) void move()
        }}
      >
        <SelectField
          label="To"
          value={target}
          disabled={running !== undefined}
          {...(away && isOutOfReach(away) && { hint: `${stateText(away)}. It is connected first.` })}
          onChange={(event) => {
            setChosen(event.target.value)
            setTyped(undefined)
          }}
        >
          {place !== undefined && <option value={HERE}>This machine</option>}
          {places.map(({ placeId }) => (
            <option key={placeId} value={placeId}>
              {placeId}
            </option>
          ))}
        </SelectField>
        {hasProject && (
          <TextField
            label={target === HERE ? 'Folder here' : 'Folder there'}
            hint={
              'A new or empty folder, or a clone of the project. ' +
              'A session that was there before goes back to its folder.'
            }
            mono
            disabled={running !== undefined}
            value={into}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
        <p className="text-small text-ink-3">
          Its history, undo data and Git project move with it. Stop its background tasks first. The session stays
          readable here.
        </p>
        {running && <Progress running={running} name={name} />}
        {failure && <ErrorNote failure={failure} />}
      </form>
    </Dialog>
  )
}

function Progress({ running: { step, text }, name }: { running: Running; name: string }) {
  const label = {
    connect: `Connecting to ${name}`,
    seal: 'Packing the session',
    receive: `Receiving it on ${name}`,
  }[step]
  return (
    <div role="status" className="flex items-center gap-2 text-small text-ink-2">
      <Spinner
        label={
          `Step ${MOVE_STEPS.indexOf(step) + 1} of ${MOVE_STEPS.length}: ` +
          `${label}${text === undefined ? '' : `, ${text}`}`
        }
      />
    </div>
  )
}

function doneText(name: string, moved: MovedIn | undefined): string {
  const notes = moved?.notes ?? []
  return [`The session continues on ${name}.`, ...notes].join(' ')
}
