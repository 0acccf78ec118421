import { useMutation } from '@tanstack/react-query'
import { useId, useState, type FormEvent } from 'react'
import { MAIL_PRESETS } from '../../../../shared/configuration/mail-presets'
import { keyStorageText, type KeysView } from '../../../../shared/configuration/settings'
import { isThisComputer } from '../../../../shared/configuration/this-computer'
import { MAIL_SECURITIES, type MailAccountView } from '../../../../shared/model/assistant/mail'
import { formFailure } from '../../../state/form-failure'
import { useClient } from '../../../state/page/queries'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/overlay/dialog'
import { SelectField } from '../../../ui/form/choice-fields'
import { TextField } from '../../../ui/form/field'
import { Switch } from '../../../ui/form/settings-controls'
import { ErrorNote } from '../../../ui/notice'
import {
  accountOf,
  inputOf,
  problemsOf,
  SECURITY_LABELS,
  securityOf,
  suggestedId,
  withAddress,
  withPreset,
  type MailInput,
} from './mail-input'

interface MailAccountFormProps {
  /** Undefined: a new one. */
  account: MailAccountView | undefined
  /** Names in use. */
  taken: readonly string[]
  keys: KeysView
  onClose: () => void
  /** Called after the account was saved. */
  onSaved: (account: MailAccountView) => void
}

const PLACEHOLDERS: Partial<Record<MailAccountView['password'], string>> = {
  stored: 'A password is stored; type to replace it',
  locked: 'A password is stored, but locked; type to replace it',
}
const FIELDS = ['address', 'id', 'password', 'imapHost', 'imapPort', 'smtpHost', 'smtpPort']

/** Adds or changes an account. A stored password is never shown; leaving the field empty keeps it. */
export function MailAccountForm({ account, taken, keys, onClose, onSaved }: MailAccountFormProps) {
  const client = useClient()
  const formId = useId()
  const [input, setInput] = useState(() => inputOf(account))
  const [password, setPassword] = useState('')
  const [checked, setChecked] = useState(false)
  const save = useMutation({ mutationFn: (given: Parameters<typeof client.mail.save>[0]) => client.mail.save(given) })
  const id = account?.id ?? (input.id.trim() || suggestedId(input, taken))
  const problems = problemsOf(input, id, account ? [] : taken)
  const refused = formFailure(save.error, FIELDS)
  const errorOf = (field: string): string | undefined =>
    (checked ? problems[field] : undefined) ?? refused.fields[field]
  const preset = MAIL_PRESETS.find((one) => one.id === input.preset)
  const set = (change: Partial<MailInput>): void => setInput({ ...input, ...change })
  const isLocal = isThisComputer(input.imapHost) || isThisComputer(input.smtpHost)

  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    setChecked(true)
    if (Object.keys(problems).length > 0) {
      const form = event.currentTarget
      requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus())
      return
    }
    const given = {
      account: accountOf(input, id, account),
      ...(password.trim() !== '' && { password: password.trim() }),
    }
    save.mutate(given, { onSuccess: onSaved })
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      width={560}
      title={account ? `Mail account ${account.id}` : 'Add a mail account'}
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={formId} busy={save.isPending}>
            Save and test
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="flex flex-col gap-3.5 pb-2">
        <TextField
          label="Address"
          type="email"
          value={input.address}
          error={errorOf('address')}
          onChange={(event) => setInput(withAddress(input, event.target.value))}
        />
        <SelectField
          label="Provider"
          value={input.preset}
          onChange={(event) =>
            setInput(
              withPreset(
                input,
                MAIL_PRESETS.find((one) => one.id === event.target.value),
              ),
            )
          }
        >
          <option value="">Other servers</option>
          {MAIL_PRESETS.map(({ id: value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        {preset && (
          <p className="-mt-1.5 text-small text-ink-2">
            {preset.help}{' '}
            {preset.helpUrl !== undefined && (
              <a href={preset.helpUrl} target="_blank" rel="noreferrer" className="underline">
                Create a password
              </a>
            )}
          </p>
        )}
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          value={password}
          placeholder={account && PLACEHOLDERS[account.password]}
          hint={`${keyStorageText(keys)} Passwords are never in config.toml and never shown again.`}
          error={errorOf('password')}
          onChange={(event) => setPassword(event.target.value)}
        />
        <TextField
          label="Your name (optional)"
          value={input.name}
          hint="The sender in your messages"
          onChange={(event) => set({ name: event.target.value })}
        />
        <details open={!preset || undefined} className="rounded-lg border border-line px-3 py-2">
          <summary className="cursor-pointer text-ui">Servers and user name</summary>
          <div className="mt-2.5 flex flex-col gap-3.5 pb-1">
            <TextField
              label="User name"
              value={input.user}
              placeholder={input.address}
              onChange={(event) => set({ user: event.target.value })}
            />
            <ServerFields kind="imap" label="Reading (IMAP)" input={input} errorOf={errorOf} onChange={set} />
            <ServerFields kind="smtp" label="Sending (SMTP)" input={input} errorOf={errorOf} onChange={set} />
            {isLocal && (
              <Switch
                label="Accept a self-signed certificate"
                description="For a program on this computer, such as Proton Mail Bridge"
                checked={input.selfSigned}
                onChange={(selfSigned) => set({ selfSigned })}
              />
            )}
            {!account && (
              <TextField
                label="Name of the account"
                mono
                value={input.id}
                placeholder={id}
                hint="What the agent and the command line call it"
                error={errorOf('id')}
                onChange={(event) => set({ id: event.target.value })}
              />
            )}
          </div>
        </details>
        {refused.failure && <ErrorNote failure={refused.failure} />}
      </form>
    </Dialog>
  )
}

interface ServerFieldsProps {
  kind: 'imap' | 'smtp'
  label: string
  input: MailInput
  errorOf: (field: string) => string | undefined
  onChange: (change: Partial<MailInput>) => void
}

/** Host, port and security of a server. */
function ServerFields({ kind, label, input, errorOf, onChange }: ServerFieldsProps) {
  return (
    <fieldset className="grid grid-cols-[1fr_92px_150px] gap-2 max-mid:grid-cols-1">
      <legend className="sr-only">{label}</legend>
      <TextField
        label={label}
        mono
        value={input[`${kind}Host`]}
        placeholder={`${kind}.example.com`}
        error={errorOf(`${kind}Host`)}
        onChange={(event) => onChange({ [`${kind}Host`]: event.target.value })}
      />
      <TextField
        label="Port"
        mono
        inputMode="numeric"
        value={input[`${kind}Port`]}
        error={errorOf(`${kind}Port`)}
        onChange={(event) => onChange({ [`${kind}Port`]: event.target.value })}
      />
      <SelectField
        label="Security"
        value={input[`${kind}Security`]}
        error={errorOf(`${kind}Security`)}
        onChange={(event) => onChange({ [`${kind}Security`]: securityOf(event.target.value) })}
      >
        {MAIL_SECURITIES.map((value) => (
          <option key={value} value={value}>
            {SECURITY_LABELS[value]}
          </option>
        ))}
      </SelectField>
    </fieldset>
  )
}
