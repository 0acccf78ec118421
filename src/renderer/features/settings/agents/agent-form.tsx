import { useState } from 'react'
import { t } from '../../../../shared/language/settings-messages'
import type { AgentFields } from '../../../../shared/model/agent'
import { EFFORTS } from '../../../../shared/model/effort'
import { useSettings } from '../../../state/page/queries'
import { SelectField, TextAreaField } from '../../../ui/form/choice-fields'
import { TextField } from '../../../ui/form/field'
import { Switch } from '../../../ui/form/settings-controls'

interface AgentFormProps {
  fields: AgentFields
  onChange: (fields: AgentFields) => void
}

/** The fields of an agent. */
export function AgentForm({ fields, onChange }: AgentFormProps) {
  const { data: settings } = useSettings()
  const set = (change: Partial<AgentFields>): void => onChange({ ...fields, ...change })
  const models = (settings?.models ?? []).map(({ id, label }) => ({ id, label }))
  const isUnknown =
    fields.model !== undefined && fields.model !== 'small' && !models.some(({ id }) => id === fields.model)
  return (
    <>
      <div className="grid grid-cols-2 gap-3 max-mid:grid-cols-1">
        <TextField
          label={t('agents.name')}
          mono
          value={fields.name}
          hint={t('agents.name.hint')}
          onChange={(event) => set({ name: event.target.value })}
        />
        <SelectField
          label={t('agents.model')}
          value={fields.model ?? ''}
          onChange={(event) => set({ model: event.target.value === '' ? undefined : event.target.value })}
        >
          <option value="">{t('agents.model.same')}</option>
          <option value="small">{t('agents.model.small')}</option>
          {isUnknown && <option>{fields.model}</option>}
          {models.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </SelectField>
      </div>
      <TextField
        label={t('agents.description')}
        value={fields.description}
        hint={t('agents.description.hint')}
        onChange={(event) => set({ description: event.target.value })}
      />
      <TextAreaField
        label={t('agents.prompt')}
        rows={7}
        value={fields.systemPrompt}
        onChange={(event) => set({ systemPrompt: event.target.value })}
      />
      <Switch
        label={t('agents.readOnly')}
        description={t('agents.readOnly.about')}
        checked={fields.readOnly}
        onChange={(readOnly) => set({ readOnly })}
      />
      <NamesField
        label={t('agents.tools')}
        hint={t('agents.tools.hint')}
        names={fields.tools ?? []}
        onChange={(tools) => set({ tools: tools.length === 0 ? undefined : tools })}
      />
      <NamesField
        label={t('agents.exclude')}
        hint={t('agents.exclude.hint')}
        names={fields.excludeTools}
        onChange={(excludeTools) => set({ excludeTools })}
      />
      <div className="grid grid-cols-3 gap-3 max-mid:grid-cols-1">
        <NamesField
          label={t('agents.subagents')}
          names={fields.subagents}
          onChange={(subagents) => set({ subagents })}
        />
        <SelectField
          label={t('agents.effort')}
          value={fields.effort ?? ''}
          onChange={(event) => set({ effort: EFFORTS.find((effort) => effort === event.target.value) })}
        >
          <option value="">{t('agents.effort.usual')}</option>
          {EFFORTS.map((effort) => (
            <option key={effort}>{effort}</option>
          ))}
        </SelectField>
        <TextField
          label={t('agents.maxSteps')}
          type="number"
          min={1}
          value={fields.maxSteps ?? ''}
          hint={t('agents.maxSteps.hint')}
          onChange={(event) => {
            const steps = Number(event.target.value)
            set({ maxSteps: Number.isInteger(steps) && steps > 0 ? steps : undefined })
          }}
        />
      </div>
    </>
  )
}

interface NamesFieldProps {
  label: string
  hint?: string
  names: readonly string[]
  onChange: (names: string[]) => void
}

/** Names, separated by commas. */
function NamesField({ label, hint, names, onChange }: NamesFieldProps) {
  const [text, setText] = useState(names.join(', '))
  return (
    <TextField
      label={label}
      mono
      hint={hint}
      value={text}
      onChange={(event) => {
        setText(event.target.value)
        onChange(event.target.value.split(/[\s,]+/).filter(Boolean))
      }}
    />
  )
}
