import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { EditScope } from '../../../../shared/configuration/customize/rules'
import type { AgentText } from '../../../../shared/contract/settings/customize'
import { t } from '../../../../shared/language/settings-messages'
import type { AgentFields } from '../../../../shared/model/session/agent'
import { useClient, useQueries, useSettings } from '../../../state/page/queries'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/overlay/dialog'
import { TextAreaField, SelectField } from '../../../ui/form/choice-fields'
import { Skeleton } from '../../../ui/loading'
import { EditDialog, ScopeField } from '../edit/edit-dialog'
import type { EditedPlace } from '../edit/use-edits'
import { EFFORTS } from '../../../../shared/model/turn/effort'
import { TextField } from '../../../ui/form/field'
import { Switch } from '../../../ui/form/settings-controls'
import { LoadError } from '../../../ui/load-error'

/** What the dialog is for: a new agent, a copy of one, or one to change. */
export type AgentTask = { kind: 'new' } | { kind: 'edit' | 'duplicate'; path: string }

interface AgentDialogProps {
  task: AgentTask
  place: EditedPlace
  onClose: () => void
}

const EMPTY: AgentFields = {
  name: '',
  description: '',
  systemPrompt: '',
  excludeTools: [],
  subagents: [],
  readOnly: false,
}

/** An agent to create, copy or change. */
export function AgentDialog(props: AgentDialogProps) {
  const { task, place, onClose } = props
  const queries = useQueries()
  const path = task.kind === 'new' ? undefined : task.path
  const query = useQuery(
    queries.customize.readAgent.queryOptions({
      input: { folder: place.folder ?? '', path: path ?? '' },
      enabled: path !== undefined,
      retry: false,
      staleTime: Infinity,
      gcTime: 0,
    }),
  )
  const { data, error } = query
  if (path === undefined) return <NewAgent {...props} fields={EMPTY} />
  if (data && task.kind === 'edit') return <EditedAgent {...props} agent={data} />
  if (data?.fields) return <NewAgent {...props} fields={{ ...data.fields, name: `my-${data.fields.name}` }} />
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t('agents.newTitle')}>
      {error ? <LoadError query={query} /> : <Skeleton className="my-4 w-3/5" />}
    </Dialog>
  )
}

function NewAgent({ fields: first, place, onClose }: AgentDialogProps & { fields: AgentFields }) {
  const client = useClient()
  const [fields, setFields] = useState(first)
  const [scope, setScope] = useState<EditScope>('user')
  const { name } = fields
  return (
    <EditDialog
      width={720}
      title={t('agents.newTitle')}
      canSave={name !== '' && fields.description.trim() !== ''}
      saved={t('agents.created', { name })}
      save={() => client.customize.createAgent({ folder: place.folder ?? '', scope, fields })}
      onClose={onClose}
    >
      <AgentForm fields={fields} onChange={setFields} />
      <ScopeField value={scope} place={place} onChange={setScope} />
    </EditDialog>
  )
}

/** As a form, or as the text of its file; always as text when the file cannot be read as an agent. */
function EditedAgent({ agent, place, onClose }: AgentDialogProps & { agent: AgentText }) {
  const client = useClient()
  const [fields, setFields] = useState(agent.fields)
  const [text, setText] = useState(agent.text)
  const [isText, setIsText] = useState(agent.fields === undefined)
  const name = agent.fields?.name ?? agent.path.split('/').at(-1) ?? ''
  const folder = place.folder ?? ''
  return (
    <EditDialog
      width={720}
      title={t('agents.editTitle', { name })}
      canSave={isText ? text !== agent.text : fields !== undefined && fields.description.trim() !== ''}
      saved={t('agents.saved', { name })}
      save={() =>
        client.customize.saveAgent({
          folder,
          path: agent.path,
          before: agent.text,
          to: isText || !fields ? { text } : { fields },
        })
      }
      more={
        agent.fields && (
          <Button variant="quiet" onClick={() => setIsText(!isText)}>
            {isText ? t('agents.asForm') : t('agents.asText')}
          </Button>
        )
      }
      onClose={onClose}
    >
      {isText || !fields ? (
        <TextAreaField
          label={t('agents.file')}
          mono
          rows={18}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      ) : (
        <AgentForm fields={fields} onChange={setFields} />
      )}
      {agent.problems.length > 0 && (
        <ul aria-label="Problems" className="space-y-0.5">
          {agent.problems.map(({ message, line }, at) => (
            <li key={at} className="text-small text-fail-ink">
              {line !== undefined && `Line ${line}: `}
              {message}
            </li>
          ))}
        </ul>
      )}
    </EditDialog>
  )
}

interface AgentFormProps {
  fields: AgentFields
  onChange: (fields: AgentFields) => void
}

/** The fields of an agent. */
function AgentForm({ fields, onChange }: AgentFormProps) {
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
