import type { EditScope } from '../../../../shared/configuration/rules'
import { t } from '../../../../shared/language/settings-messages'
import { SelectField } from '../../../ui/form/choice-fields'
import type { EditedPlace } from './use-place'

interface ScopeFieldProps {
  value: EditScope
  place: EditedPlace
  onChange: (scope: EditScope) => void
}

/** Whether something is for the user in every project, or for this project. */
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
