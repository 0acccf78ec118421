import { useMutation } from '@tanstack/react-query'
import { useDeferredValue, useId, useState, type FormEvent } from 'react'
import { MODE_NAMES } from '../../../shared/configuration/sandbox-text'
import { PERMISSION_MODES, type PermissionMode } from '../../../shared/model/approval/approval'
import {
  SCHEDULE_LIMITS,
  type Schedule,
  type ScheduleInput,
  mailSource,
  NEW_MAIL,
  quietText,
  timeSource,
} from '../../../shared/model/assistant/schedule'
import { failureFrom } from '../../client/failure-from'
import { useClient } from '../../state/page/queries'
import { showToast } from '../../state/page/toasts-state'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/overlay/dialog'
import { SelectField, TextAreaField } from '../../ui/form/choice-fields'
import { TextField } from '../../ui/form/field'
import { Switch } from '../../ui/form/settings-controls'
import { ErrorNote } from '../../ui/notice'
import { MailTrigger, type MailDraft, WhenField } from './mail-trigger'
import { AgentField, FolderField, ModelField } from './run-fields'
import { useScheduleActions } from './schedule-actions'
import { ScheduleHistory } from './schedule-history'
import { TimeField } from './time-field'

interface ScheduleDialogProps {
  /** Undefined: a new one. */
  schedule: Schedule | undefined
  userHome: string | undefined
  onClose: () => void
}

/** The values of the form, as typed. */
export interface ScheduleDraft {
  name: string
  /** Mail starts it, instead of a time. */
  onMail: boolean
  mail: MailDraft
  time: string
  zone: string
  prompt: string
  folder: string
  agent: string
  model: string
  mode: PermissionMode
  minutes: string
  steps: string
  tokens: string
  heartbeat: boolean
  quiet: string
}

/** A schedule to create or change, with its history. */
export function ScheduleDialog({ schedule, userHome, onClose }: ScheduleDialogProps) {
  const client = useClient()
  const actions = useScheduleActions()
  const formId = useId()
  const [before] = useState(() => draftOf(schedule))
  const [draft, setDraft] = useState(before)
  const input = useDeferredValue(draft)
  const isComplete = [draft.name, draft.onMail ? NEW_MAIL : draft.time, draft.prompt].every(
    (text) => text.trim() !== '',
  )
  const isChanged = !schedule || JSON.stringify(draft) !== JSON.stringify(before)
  const save = useMutation({
    mutationFn: () =>
      schedule
        ? client.schedule.change({ id: schedule.id, ...inputOf(draft) })
        : client.schedule.create(inputOf(draft)),
    onSuccess: async ({ name }) => {
      showToast(schedule ? `Saved ${name}` : `Created ${name}`)
      await actions.refresh()
      onClose()
    },
  })
  const change = (part: Partial<ScheduleDraft>): void => {
    // The failure was about the previous draft.
    if (save.isError) save.reset()
    setDraft((now) => ({ ...now, ...part }))
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isComplete && isChanged) save.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      width={640}
      title={schedule?.name ?? 'New schedule'}
      footer={
        <>
          {schedule && (
            <Button
              variant="danger"
              className="mr-auto"
              onClick={() => {
                actions.remove(schedule)
                onClose()
              }}
            >
              Delete
            </Button>
          )}
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button
            variant="primary"
            type="submit"
            form={formId}
            busy={save.isPending}
            disabled={!isComplete || !isChanged}
          >
            {schedule ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Name"
          value={draft.name}
          maxLength={SCHEDULE_LIMITS.nameChars}
          onChange={(event) => change({ name: event.target.value })}
        />
        <WhenField onMail={draft.onMail} onChange={(onMail) => change({ onMail })} />
        {draft.onMail ? (
          <MailTrigger value={draft.mail} onChange={(mail) => change({ mail })} />
        ) : (
          <TimeField draft={draft} checked={input} saved={before.time} onChange={change} />
        )}
        <TextAreaField
          label="Prompt"
          hint="Starts each run. The agent knows nothing about other sessions."
          dir="auto"
          value={draft.prompt}
          maxLength={SCHEDULE_LIMITS.promptChars}
          onChange={(event) => change({ prompt: event.target.value })}
        />
        <div className={GRID}>
          <FolderField value={draft.folder} userHome={userHome} onChange={(folder) => change({ folder })} />
          <SelectField
            label="Permission mode"
            hint={
              draft.mode === 'ask' ? 'Requests wait in the inbox.' : 'You may be away when it runs: choose carefully.'
            }
            value={draft.mode}
            onChange={(event) => change({ mode: event.target.value as PermissionMode })}
          >
            {PERMISSION_MODES.map((mode) => (
              <option key={mode} value={mode}>
                {MODE_NAMES[mode]}
              </option>
            ))}
          </SelectField>
          <AgentField
            value={draft.agent}
            folder={draft.folder || userHome}
            usual={draft.folder === '' ? 'assistant' : 'Trestle'}
            onChange={(agent) => change({ agent })}
          />
          <ModelField value={draft.model} onChange={(model) => change({ model })} />
        </div>
        <fieldset>
          <legend className="mb-1 text-small font-medium text-ink-2">Limits of a run (optional)</legend>
          <div className="grid grid-cols-3 gap-3 max-[460px]:grid-cols-1">
            <NumberField label="Minutes" value={draft.minutes} onChange={(minutes) => change({ minutes })} />
            <NumberField label="Steps" value={draft.steps} onChange={(steps) => change({ steps })} />
            <NumberField label="Tokens" value={draft.tokens} onChange={(tokens) => change({ tokens })} />
          </div>
        </fieldset>
        <Switch
          label="Heartbeat"
          description="Notifies you only when something needs your attention. Other runs are archived."
          checked={draft.heartbeat}
          onChange={(heartbeat) => change({ heartbeat })}
        />
        {draft.heartbeat && (
          <TextField
            label="Quiet hours (optional)"
            placeholder="22:00-07:00"
            hint="It doesn’t run during these hours."
            value={draft.quiet}
            onChange={(event) => change({ quiet: event.target.value })}
          />
        )}
        {save.error && <ErrorNote failure={failureFrom(save.error)} />}
      </form>
      {schedule && <ScheduleHistory id={schedule.id} />}
    </Dialog>
  )
}

const GRID = 'grid grid-cols-[repeat(auto-fit,minmax(220px,1fr))] gap-3'

function NumberField({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <TextField
      label={label}
      type="number"
      inputMode="numeric"
      min={1}
      value={value}
      placeholder="None"
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

function draftOf(schedule: Schedule | undefined): ScheduleDraft {
  const { limits, heartbeat } = schedule ?? {}
  return {
    name: schedule?.name ?? '',
    onMail: schedule?.time.kind === 'mail',
    mail: { account: '', folder: '', from: '', subject: '', text: '', ...(schedule && mailSource(schedule.time)) },
    time: schedule && schedule.time.kind !== 'mail' ? timeSource(schedule.time, schedule.zone) : '',
    zone: schedule?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    prompt: schedule?.prompt ?? '',
    folder: schedule?.folder ?? '',
    agent: schedule?.agent ?? '',
    model: schedule?.model ?? '',
    mode: schedule?.mode ?? 'ask',
    minutes: limits?.minutes?.toString() ?? '',
    steps: limits?.steps?.toString() ?? '',
    tokens: limits?.tokens?.toString() ?? '',
    heartbeat: heartbeat !== undefined,
    quiet: heartbeat?.quiet ? quietText(heartbeat.quiet) : '',
  }
}

function inputOf({
  minutes,
  steps,
  tokens,
  folder,
  agent,
  model,
  quiet,
  zone,
  onMail,
  mail,
  time,
  ...draft
}: ScheduleDraft): ScheduleInput {
  return {
    ...draft,
    ...(onMail ? { time: NEW_MAIL, mail } : { time }),
    limits: {
      ...(minutes !== '' && { minutes: Number(minutes) }),
      ...(steps !== '' && { steps: Number(steps) }),
      ...(tokens !== '' && { tokens: Number(tokens) }),
    },
    ...(zone.trim() !== '' && { zone }),
    ...(folder !== '' && { folder }),
    ...(agent !== '' && { agent }),
    ...(model !== '' && { model }),
    ...(draft.heartbeat && quiet.trim() !== '' && { quiet }),
  }
}
