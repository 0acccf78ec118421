import { useId, useState, type FormEvent } from 'react'
import type { McpServerInput, McpServerList } from '../../../shared/configuration/customize/mcp'
import { formFailure } from '../../state/form-failure'
import { showToast } from '../../state/page/toasts-state'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/overlay/dialog'
import { ErrorNote } from '../../ui/notice'
import { SelectField, TextAreaField } from '../../ui/form/choice-fields'
import { TextField } from '../../ui/form/field'
import { KeyValueList } from './key-value-list'
import { fieldProblems, inputOf, sandboxChoices, splitCommand, type ServerFields } from './server-fields'
import { useMcpChange } from './mcp-servers'

interface ServerFormProps {
  /** The initial values of the form. */
  start: ServerFields
  /** Undefined: a new server. */
  edited?: { name: string; scope: 'user' | 'project'; input: McpServerInput }
  /** The project whose configuration can contain the server. */
  folder?: { path: string; name: string } | undefined
  /** Names in use, by scope. */
  taken: Readonly<Record<'user' | 'project', readonly string[]>>
  /** Switches to pasting JSON. */
  onPaste?: () => void
  onClose: () => void
  /** Called after saving. */
  onSaved: (list: McpServerList, name: string) => void
}

const FIELDS = ['name', 'command', 'url', 'args', 'cwd']

/** Adds or changes a server. Existing secret values are never shown. */
export function ServerForm({ start, edited, folder, taken, onPaste, onClose, onSaved }: ServerFormProps) {
  const formId = useId()
  const [fields, setFields] = useState(start)
  const [scope, setScope] = useState(edited?.scope ?? 'user')
  const [checked, setChecked] = useState(false)
  const save = useMcpChange((mcp, input: Parameters<typeof mcp.save>[0]) => mcp.save(input), { quiet: true })
  const set = (part: Partial<ServerFields>): void => setFields((before) => ({ ...before, ...part }))

  const problems = fieldProblems(
    fields,
    taken[scope].filter((name) => name !== edited?.name),
  )
  const refused = formFailure(save.error, FIELDS)
  const errorOf = (field: keyof ServerFields): string | undefined =>
    (checked ? problems[field] : undefined) ?? refused.fields[field]

  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    setChecked(true)
    if (Object.keys(problems).length > 0) {
      const form = event.currentTarget
      requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus())
      return
    }
    const name = fields.name.trim()
    save.mutate(
      {
        place: scope === 'project' && folder ? { scope, folder: folder.path, name } : { scope: 'user', name },
        definition: inputOf(fields, edited?.input),
        ...(edited && { previousName: edited.name }),
      },
      {
        onSuccess: (list) => {
          showToast(edited ? `Saved ${name}` : `Added ${name}`)
          onSaved(list, name)
        },
      },
    )
  }

  /** Users who copy from a README paste the whole line. */
  const splitLine = (): void => {
    if (fields.args.trim() !== '' || !/\s/.test(fields.command.trim())) return
    const { command, args } = splitCommand(fields.command)
    set({ command, args: args.join('\n') })
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      width={560}
      title={edited ? `Server ${edited.name}` : 'Add a server'}
      footer={
        <>
          {onPaste && (
            <Button variant="quiet" className="mr-auto" onClick={onPaste}>
              Paste JSON instead
            </Button>
          )}
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={formId} busy={save.isPending}>
            {edited ? 'Save' : 'Add server'}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="flex flex-col gap-3.5 pb-2">
        <TextField
          label="Name"
          mono
          value={fields.name}
          placeholder="github"
          hint="Tools are named mcp__name__tool."
          error={errorOf('name')}
          onChange={(event) => set({ name: event.target.value })}
        />
        <SelectField
          label="Transport"
          value={fields.transport}
          onChange={(event) => set({ transport: transportOf(event.target.value) })}
        >
          <option value="stdio">Local command (stdio)</option>
          <option value="http">Streamable HTTP</option>
          <option value="sse">HTTP + SSE (legacy)</option>
        </SelectField>
        {fields.transport === 'stdio' ? (
          <LocalFields fields={fields} scope={scope} set={set} errorOf={errorOf} onLeaveCommand={splitLine} />
        ) : (
          <RemoteFields fields={fields} set={set} errorOf={errorOf} />
        )}
        {!edited && folder && (
          <SelectField
            label="Scope"
            value={scope}
            onChange={(event) => setScope(event.target.value === 'project' ? 'project' : 'user')}
          >
            <option value="user">All my projects</option>
            <option value="project">{folder.name}: in its .mcp.json, shared with everyone</option>
          </SelectField>
        )}
        <details className="rounded-md border border-line px-3 py-2 open:pb-3">
          <summary className="cursor-default text-ui font-medium text-ink-2">Timeouts</summary>
          <div className="mt-2.5 flex flex-wrap gap-3">
            <TextField
              label="Startup timeout (seconds)"
              inputMode="numeric"
              className="min-w-[140px] flex-1"
              value={fields.startSeconds}
              error={errorOf('startSeconds')}
              onChange={(event) => set({ startSeconds: event.target.value })}
            />
            <TextField
              label="Call timeout (seconds)"
              inputMode="numeric"
              className="min-w-[140px] flex-1"
              value={fields.callSeconds}
              error={errorOf('callSeconds')}
              onChange={(event) => set({ callSeconds: event.target.value })}
            />
          </div>
        </details>
        {refused.failure && <ErrorNote failure={refused.failure} />}
      </form>
    </Dialog>
  )
}

interface PartProps {
  fields: ServerFields
  set: (part: Partial<ServerFields>) => void
  errorOf: (field: keyof ServerFields) => string | undefined
}

function LocalFields({
  fields,
  scope,
  set,
  errorOf,
  onLeaveCommand,
}: PartProps & { scope: 'user' | 'project'; onLeaveCommand: () => void }) {
  const choices = sandboxChoices(scope)
  const chosen = choices.find(({ value }) => value === fields.sandbox) ?? choices[0]!
  return (
    <>
      <TextField
        label="Command"
        mono
        value={fields.command}
        placeholder="npx -y @modelcontextprotocol/server-filesystem ~/notes"
        hint="Paste a full command line; arguments are split automatically."
        error={errorOf('command')}
        onChange={(event) => set({ command: event.target.value })}
        onBlur={onLeaveCommand}
      />
      <TextAreaField
        label="Arguments (one per line)"
        mono
        value={fields.args}
        error={errorOf('args')}
        onChange={(event) => set({ args: event.target.value })}
      />
      <KeyValueList
        label="Environment"
        kind="variable"
        hint="Inherits your environment, without model API keys."
        pairs={fields.env}
        error={errorOf('env')}
        onChange={(env) => set({ env })}
      />
      <TextField
        label="Working directory"
        mono
        value={fields.cwd}
        hint="Default: the project folder, or your home folder"
        error={errorOf('cwd')}
        onChange={(event) => set({ cwd: event.target.value })}
      />
      <SelectField
        label="Sandbox"
        value={chosen.value}
        hint={
          chosen.value === 'unrestricted'
            ? 'Can do everything you can on this machine.'
            : 'Can change only its folder and the caches of package managers. Your keys and credentials are hidden.'
        }
        onChange={(event) =>
          set({ sandbox: choices.find(({ value }) => value === event.target.value)?.value ?? chosen.value })
        }
      >
        {choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
    </>
  )
}

function RemoteFields({ fields, set, errorOf }: PartProps) {
  return (
    <>
      <TextField
        label="Address"
        mono
        inputMode="url"
        value={fields.url}
        placeholder="https://mcp.example.com/mcp"
        hint="You can sign in after adding it, if required."
        error={errorOf('url')}
        onChange={(event) => set({ url: event.target.value })}
      />
      <KeyValueList
        label="Headers"
        kind="header"
        hint="For an API key, such as Authorization: Bearer …"
        pairs={fields.headers}
        error={errorOf('headers')}
        onChange={(headers) => set({ headers })}
      />
      <details className="rounded-md border border-line px-3 py-2 open:pb-3">
        <summary className="cursor-default text-ui font-medium text-ink-2">Sign-in</summary>
        <div className="mt-2.5 flex flex-col gap-3">
          <TextField
            label="Client ID"
            mono
            value={fields.clientId}
            hint="Only if you registered Trestle yourself"
            onChange={(event) => set({ clientId: event.target.value })}
          />
          <TextField
            label="Scopes"
            mono
            value={fields.scopes}
            hint="Default: what the server asks for"
            onChange={(event) => set({ scopes: event.target.value })}
          />
        </div>
      </details>
    </>
  )
}

function transportOf(value: string): ServerFields['transport'] {
  return value === 'http' || value === 'sse' ? value : 'stdio'
}
