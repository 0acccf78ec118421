import { Plus, X } from 'lucide-react'
import { useRef, useState } from 'react'
import {
  SANDBOX_HOST,
  SANDBOX_MODES,
  SANDBOX_PATH,
  SANDBOX_SOCKET,
  type SandboxMode,
} from '../../../shared/model/task/sandbox'
import type { SandboxChange, SandboxView } from '../../../shared/configuration/settings'
import { useSettingsChange } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { Badge } from '../../ui/badge'
import { SandboxRemedy } from '../../ui/content/sandbox-note'
import { RadioList } from '../../ui/form/choice-fields'
import { SectionHead, Switch, SettingsSection } from '../../ui/form/settings-controls'
import { Button, IconButton } from '../../ui/button'
import { TextField } from '../../ui/form/field'

const MODES: Readonly<Record<SandboxMode, { name: string; meaning: string }>> = {
  auto: { name: 'Auto', meaning: 'Use the sandbox where this machine supports it.' },
  required: { name: 'Required', meaning: 'Never run a command without the sandbox unless you allow that command.' },
  off: { name: 'Off', meaning: 'Run commands without a sandbox. The permission mode still decides what asks first.' },
}

const LISTS = [
  {
    key: 'write',
    title: 'Writable paths',
    text: 'Commands can change these in addition to the project.',
    placeholder: '~/.cache/my-tool',
    entry: SANDBOX_PATH,
  },
  {
    key: 'hosts',
    title: 'Hosts',
    text: 'Commands can connect to these where listed hosts are allowed.',
    placeholder: 'registry.example.com',
    entry: SANDBOX_HOST,
  },
  {
    key: 'read',
    title: 'Readable paths',
    text: 'Commands can read these in addition to the project and system folders.',
    placeholder: '~/reference',
    entry: SANDBOX_PATH,
  },
  {
    key: 'sockets',
    title: 'Unix sockets',
    text: 'Commands can use these. A socket such as /run/docker.sock gives full control of the machine.',
    placeholder: '$SSH_AUTH_SOCK',
    entry: SANDBOX_SOCKET,
  },
] as const

/** What commands can reach: the mode, the lists, and what this machine supports. */
export function SandboxSection({ sandbox }: { sandbox: SandboxView }) {
  const save = useSettingsChange((api, change: SandboxChange) => api.setSandbox(change))
  const change = async (next: SandboxChange): Promise<boolean> => {
    try {
      await save.mutateAsync(next)
      return true
    } catch (error) {
      showFailureToast(error)
      return false
    }
  }
  const shown = save.isPending ? { ...sandbox, ...save.variables } : sandbox
  return (
    <div className="space-y-9">
      <SettingsSection
        id="settings-sandbox"
        title="Sandbox"
        text="Limits what the agent’s commands can read, change and connect to. Enforced by the operating system."
      >
        {sandbox.status && <MachineStatus status={sandbox.status} />}
        <RadioList
          label="Sandbox mode"
          value={shown.mode}
          onChange={(mode) => void change({ mode })}
          options={SANDBOX_MODES.map((value) => ({
            value,
            label: MODES[value].name,
            description: MODES[value].meaning,
          }))}
        />
      </SettingsSection>
      {LISTS.map(({ key, ...words }) => (
        <SandboxList
          key={key}
          id={key}
          {...words}
          entries={shown[key] ?? []}
          busy={save.isPending}
          onChange={(entries) => change({ [key]: entries })}
        />
      ))}
      <SettingsSection id="settings-sandbox-defaults" title="Built-in lists">
        <div className="overflow-hidden rounded-lg border border-line bg-raised">
          <Switch
            label="Use the built-in lists"
            description="Adds package manager caches and registries to the lists above."
            checked={shown.defaults ?? true}
            onChange={(defaults) => void change({ defaults })}
            className="px-3.5 py-2"
          />
          <BuiltIn title="Writable paths" entries={sandbox.builtIn.write} isUsed={shown.defaults ?? true} />
          <BuiltIn title="Hosts" entries={sandbox.builtIn.hosts} isUsed={shown.defaults ?? true} />
        </div>
      </SettingsSection>
    </div>
  )
}

function MachineStatus({ status }: { status: NonNullable<SandboxView['status']> }) {
  const { available, reason, remedy } = status
  return (
    <div className="mb-3.5 rounded-lg border border-line bg-raised px-3.5 py-2.5 text-ui" role="status">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium">This machine</span>
        <Badge tone={available ? 'done' : 'wait'}>{available ? 'Sandbox available' : 'No sandbox available'}</Badge>
      </p>
      {!available && (
        <div className="mt-1 text-small text-ink-2">
          {reason !== undefined && <p className="wrap-anywhere">{reason}</p>}
          {remedy !== undefined && <SandboxRemedy text={remedy} />}
        </div>
      )}
    </div>
  )
}

function BuiltIn({ title, entries, isUsed }: { title: string; entries: readonly string[]; isUsed: boolean }) {
  if (entries.length === 0) return null
  return (
    <details className="border-t border-line px-3.5 py-2 text-ui">
      <summary className="cursor-default text-ink-2 hover:text-ink">
        {title} <span className="text-small text-ink-3">{isUsed ? entries.length : `${entries.length}, not used`}</span>
      </summary>
      <ul
        aria-label={`Built-in ${title.toLowerCase()}`}
        className="mt-1.5 grid grid-cols-[repeat(auto-fill,minmax(210px,1fr))] gap-x-4 font-mono text-small text-ink-2"
      >
        {entries.map((entry) => (
          <li key={entry} className="wrap-anywhere">
            {entry}
          </li>
        ))}
      </ul>
    </details>
  )
}

interface SandboxListProps {
  id: string
  title: string
  text: string
  placeholder: string
  entry: { pattern: RegExp; must: string }
  entries: readonly string[]
  busy: boolean
  /** Resolves to whether it was saved. */
  onChange: (entries: string[]) => Promise<boolean>
}

/** A list of the sandbox settings: removable entries, and a field for a new one. Its error is shown under the field. */
function SandboxList({ id, title, text, placeholder, entry, entries, busy, onChange }: SandboxListProps) {
  const [draft, setDraft] = useState('')
  const [error, setError] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const add = async (): Promise<void> => {
    const wanted = draft.trim()
    const problem = problemOf(wanted, entries, entry)
    setError(problem)
    if (problem !== undefined) return
    setDraft('')
    // It can be tried again, unless something else was typed meanwhile.
    if (!(await onChange([...entries, wanted]))) setDraft((now) => now || wanted)
  }
  const headId = `settings-sandbox-${id}`
  return (
    <section aria-labelledby={headId}>
      <SectionHead id={headId} title={title} text={text} />
      <div className="overflow-hidden rounded-lg border border-line bg-raised">
        {entries.length > 0 && (
          <ul aria-label={title}>
            {entries.map((each) => (
              <li key={each} className="flex items-center gap-2 border-b border-line py-1 pr-1.5 pl-3.5">
                <code className="min-w-0 flex-1 font-mono text-small wrap-anywhere">{each}</code>
                <IconButton
                  label={`Remove ${each}`}
                  disabled={busy}
                  onClick={() => {
                    void onChange(entries.filter((other) => other !== each))
                    field.current?.focus()
                  }}
                >
                  <X aria-hidden />
                </IconButton>
              </li>
            ))}
          </ul>
        )}
        <form
          className="flex items-start gap-2 px-3.5 py-2.5"
          onSubmit={(event) => {
            event.preventDefault()
            // Also while the previous change is being saved: the entries already include it.
            void add()
          }}
        >
          <TextField
            ref={field}
            label={`Add to ${title.toLowerCase()}`}
            hideLabel
            mono
            className="flex-1"
            placeholder={placeholder}
            value={draft}
            error={error}
            onChange={(event) => {
              setDraft(event.target.value)
              setError(undefined)
            }}
          />
          <Button
            type="submit"
            icon={<Plus aria-hidden />}
            className="h-[31px]"
            disabled={draft.trim() === ''}
            busy={busy}
          >
            Add
          </Button>
        </form>
      </div>
    </section>
  )
}

function problemOf(
  wanted: string,
  entries: readonly string[],
  { pattern, must }: SandboxListProps['entry'],
): string | undefined {
  if (wanted === '') return undefined
  if (!pattern.test(wanted)) return `Enter ${must}`
  return entries.includes(wanted) ? 'Already in the list' : undefined
}
