import { useMutation } from '@tanstack/react-query'
import { useId, type ReactNode } from 'react'
import type { Undoable, EditScope } from '../../../../shared/configuration/customize/rules'
import { t } from '../../../../shared/language/settings-messages'
import { failureFrom } from '../../../client/failure-from'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/overlay/dialog'
import { ErrorNote } from '../../../ui/notice'
import { useEdits, type EditedPlace } from './use-edits'
import { SelectField } from '../../../ui/form/choice-fields'

interface EditDialogProps {
  title: string
  /** The label of the button that saves; default: Save. */
  action?: string
  canSave: boolean
  /** Saves; a failure is shown, and the typed values stay. */
  save: () => Promise<Undoable>
  /** Message after saving. */
  saved: string
  onClose: () => void
  /** Additional buttons, on the left. */
  more?: ReactNode
  width?: number
  children: ReactNode
}

/** A form in a dialog, whose change can be undone. */
export function EditDialog({
  title,
  action,
  canSave,
  save,
  saved,
  onClose,
  more,
  width = 600,
  children,
}: EditDialogProps) {
  const formId = useId()
  const edits = useEdits()
  const saving = useMutation({
    mutationFn: save,
    onSuccess: async (change) => {
      await edits.done(saved, change)
      onClose()
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      width={width}
      title={title}
      footer={
        <>
          <span className="mr-auto flex gap-2">{more}</span>
          <Button variant="quiet" onClick={onClose}>
            {t('edit.cancel')}
          </Button>
          <Button variant="primary" type="submit" form={formId} busy={saving.isPending} disabled={!canSave}>
            {action ?? t('edit.save')}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (canSave && !saving.isPending) saving.mutate()
        }}
      >
        {children}
        {saving.error && <ErrorNote failure={failureFrom(saving.error)} />}
      </form>
    </Dialog>
  )
}

interface ScopeFieldProps {
  value: EditScope
  place: EditedPlace
  onChange: (scope: EditScope) => void
}

/** Whether something applies to all projects of the user, or to this project. */
export function ScopeField({ value, place, onChange }: ScopeFieldProps) {
  const isOff = place.canEditProject === false
  return (
    <SelectField
      label={t('edit.where')}
      value={value}
      onChange={(event) => onChange(event.target.value === 'project' ? 'project' : 'user')}
      {...(isOff && place.folder !== place.userHome && { hint: t('edit.scope.untrusted') })}
    >
      <option value="user">{t('edit.scope.user')}</option>
      {place.folder !== place.userHome && (
        <option value="project" disabled={isOff}>
          {t('edit.scope.project', { name: place.name })}
        </option>
      )}
    </SelectField>
  )
}
