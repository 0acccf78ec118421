import type { SettingsView } from '../../../shared/model/settings'
import { useSettingsChange } from '../../state/settings-query'
import { tellFailure } from '../../state/toasts-state'
import { SelectField } from '../../ui/select-field'

/** The models beside the default: a small one for small work, and one that takes over. */
export function OtherModels({ settings }: { settings: SettingsView }) {
  const setSmall = useSettingsChange((api, id: string) => api.setSmallModel(id === '' ? {} : { id }))
  const setFallback = useSettingsChange((api, id: string) => api.setFallbackModel(id === '' ? {} : { id }))
  return (
    <div className="mt-6 grid grid-cols-2 gap-x-4 gap-y-3.5 max-mid:grid-cols-1">
      <SelectField
        label="Small model"
        hint="Names sessions and runs the explore agent. If it fails, the session’s model takes over."
        value={settings.smallModel ?? ''}
        onChange={(event) => setSmall.mutate(event.target.value, { onError: tellFailure })}
      >
        <option value="">Provider default</option>
        <Choices settings={settings} chosen={settings.smallModel} />
      </SelectField>
      <SelectField
        label="Fallback model"
        hint="Takes over when a model is overloaded. The next turn tries the first model again."
        value={settings.fallbackModel ?? ''}
        onChange={(event) => setFallback.mutate(event.target.value, { onError: tellFailure })}
      >
        <option value="">None. The turn ends.</option>
        <Choices settings={settings} chosen={settings.fallbackModel} />
      </SelectField>
    </div>
  )
}

function Choices({ settings, chosen }: { settings: SettingsView; chosen: string | undefined }) {
  const models = settings.models.filter(({ scripted }) => !scripted)
  return (
    <>
      {chosen !== undefined && !models.some(({ id }) => id === chosen) && <option value={chosen}>{chosen}</option>}
      {models.map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </>
  )
}
