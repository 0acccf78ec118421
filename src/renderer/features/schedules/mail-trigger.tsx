import { useQuery } from '@tanstack/react-query'
import type { ScheduleMail } from '../../../shared/model/assistant/schedule'
import { useQueries, useSettings } from '../../state/page/queries'
import { SelectField } from '../../ui/form/choice-fields'
import { TextField } from '../../ui/form/field'

/** Which mail starts a schedule, as typed in the form; an empty text matches all. */
export type MailDraft = Required<ScheduleMail>

/** What starts a schedule: a time or mail. */
export function WhenField({ onMail, onChange }: { onMail: boolean; onChange: (onMail: boolean) => void }) {
  return (
    <SelectField
      label="Runs"
      value={onMail ? 'mail' : 'time'}
      onChange={(event) => onChange(event.target.value === 'mail')}
    >
      <option value="time">At set times</option>
      <option value="mail">When mail arrives</option>
    </SelectField>
  )
}

/** The account, the folder and the words of the mail that starts a schedule. */
export function MailTrigger({ value, onChange }: { value: MailDraft; onChange: (value: MailDraft) => void }) {
  const queries = useQueries()
  const { data: settings } = useSettings()
  const { data: accounts } = useQuery(queries.mail.accounts.queryOptions())
  const isOff = settings?.features.some(({ feature, enabled }) => feature === 'mail' && !enabled) ?? false
  const field = (label: string, name: Exclude<keyof MailDraft, 'account'>, placeholder?: string) => (
    <TextField
      label={label}
      value={value[name]}
      maxLength={200}
      dir="auto"
      {...(placeholder !== undefined && { placeholder })}
      onChange={(event) => onChange({ ...value, [name]: event.target.value })}
    />
  )
  const hint =
    accounts?.length === 0
      ? 'No mail account is set up. Add one in Settings, under Mail.'
      : isOff
        ? 'Mail is off, so this schedule won’t run. Turn it on in Settings, under Features.'
        : undefined
  return (
    <fieldset>
      <legend className="mb-1 text-small font-medium text-ink-2">Which mail (empty fields match all)</legend>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(220px,1fr))] gap-3">
        {field('From', 'from', 'ci@example.com')}
        {field('Subject contains', 'subject')}
        {field('Contains words', 'text')}
        {field('Mail folder', 'folder', 'The inbox')}
        <SelectField
          label="Account"
          hint={hint}
          value={value.account}
          onChange={(event) => onChange({ ...value, account: event.target.value })}
        >
          <option value="">All accounts</option>
          {value.account !== '' && !accounts?.some(({ id }) => id === value.account) && (
            <option value={value.account}>{value.account}</option>
          )}
          {(accounts ?? []).map(({ id, address }) => (
            <option key={id} value={id}>
              {address}
            </option>
          ))}
        </SelectField>
      </div>
    </fieldset>
  )
}
