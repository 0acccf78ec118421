import { useQuery } from '@tanstack/react-query'
import { isScratchFolder } from '../../../shared/model/project/scratch-folder'
import { folderName, shortPath } from '../../format/folder-name'
import { useClient, useSettings } from '../../state/page/queries'
import { projectsOf, useSessions } from '../../state/session-list/sessions-state'
import { SelectField } from '../../ui/form/choice-fields'

interface FieldProps {
  value: string
  onChange: (value: string) => void
}

/** The folder that runs work in: one of the projects with sessions. */
export function FolderField({ value, userHome, onChange }: FieldProps & { userHome: string | undefined }) {
  const sessions = useSessions()
  const open = projectsOf(sessions).flatMap(({ folder }) => (isScratchFolder(folder) ? [] : [folder]))
  const folders = [...new Set([...(value === '' ? [] : [value]), ...open])]
  return (
    <SelectField
      label="Folder"
      hint={value === '' ? 'Each run works in a private folder.' : undefined}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">No project</option>
      {folders.map((path) => (
        <option key={path} value={path}>
          {folderName(path, userHome).name} ({shortPath(path, userHome)})
        </option>
      ))}
    </SelectField>
  )
}

/** The agent of a run in a folder; `usual`: the default agent. */
export function AgentField({
  value,
  folder,
  usual,
  onChange,
}: FieldProps & { folder: string | undefined; usual: string }) {
  const client = useClient()
  const { data } = useQuery({
    queryKey: ['agents', folder],
    queryFn: () => client.agent.list({ folder: folder ?? '' }),
    enabled: folder !== undefined && folder !== '',
  })
  const agents = (data?.agents ?? []).filter(({ hiddenBy }) => hiddenBy === undefined)
  return (
    <SelectField label="Agent" value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{`Default (${usual})`}</option>
      {value !== '' && !agents.some(({ name }) => name === value) && <option value={value}>{value}</option>}
      {agents.map(({ name, title, path }) => (
        <option key={path} value={name}>
          {title ?? name}
        </option>
      ))}
    </SelectField>
  )
}

/** The model of a run. */
export function ModelField({ value, onChange }: FieldProps) {
  const { data: settings } = useSettings()
  const models = settings?.models ?? []
  return (
    <SelectField label="Model" value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">Default{settings?.defaultModel === undefined ? '' : ` (${settings.defaultModel})`}</option>
      {value !== '' && !models.some(({ id }) => id === value) && <option value={value}>{value}</option>}
      {models.map(({ id, label }) => (
        <option key={id} value={id}>
          {label} ({id})
        </option>
      ))}
    </SelectField>
  )
}
