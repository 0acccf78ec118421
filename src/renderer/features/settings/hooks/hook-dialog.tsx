import { useState } from 'react'
import { errorText } from '../../../../shared/error-text'
import { HOOK_EVENTS, type HookEvent, type HookView } from '../../../../shared/configuration/customize/customizations'
import type { EditScope } from '../../../../shared/configuration/customize/rules'
import { t } from '../../../../shared/language/settings-messages'
import { useClient } from '../../../state/page/queries'
import { SelectField, TextAreaField } from '../../../ui/form/choice-fields'
import { TextField } from '../../../ui/form/field'
import { Switch } from '../../../ui/form/settings-controls'
import { EditDialog, ScopeField } from '../edit/edit-dialog'
import type { EditedPlace } from '../edit/use-edits'

interface HookDialogProps {
  /** Undefined: a new hook. */
  hook: HookView | undefined
  place: EditedPlace
  onClose: () => void
}

/** What the matcher of an event is compared with. */
const SUBJECTS: Record<HookEvent, string> = {
  SessionStart: 'source, new or resumed',
  UserPromptSubmit: 'prompt',
  PreToolUse: 'name of the tool',
  PostToolUse: 'name of the tool',
  beforeWriteFile: 'path',
  afterWriteFile: 'path',
  Stop: 'status',
  SubagentStop: 'type of the agent',
  TaskFinished: 'status of the task',
  PreCompact: 'reason',
  Notification: 'type of the notification',
  SessionEnd: 'reason',
}

/** The form for a new or existing hook. */
export function HookDialog({ hook, place, onClose }: HookDialogProps) {
  const client = useClient()
  const [event, setEvent] = useState<HookEvent>(hook?.event ?? 'PreToolUse')
  const [matcher, setMatcher] = useState(hook?.matcher ?? '')
  const [command, setCommand] = useState(hook?.command ?? '')
  const [timeout, setTimeout] = useState(String((hook?.timeoutMs ?? 30_000) / 1000))
  const [scope, setScope] = useState<EditScope>(hook?.scope ?? 'user')
  const [isSandboxed, setSandboxed] = useState(hook?.sandbox === 'project')
  const seconds = Number(timeout)
  const isTimeWrong = !(seconds >= 1 && seconds <= 600)
  const matcherMistake = mistakeIn(matcher)
  const written = {
    event,
    ...(matcher !== '' && { matcher }),
    command,
    timeoutS: seconds,
    ...(isSandboxed && scope === 'user' && { sandbox: 'project' as const }),
    ...(hook?.isOff && { isOff: true }),
  }
  const folder = place.folder ?? ''
  return (
    <EditDialog
      title={hook ? t('hooks.editTitle') : t('hooks.add')}
      action={hook ? t('edit.save') : t('edit.add')}
      canSave={command.trim() !== '' && !isTimeWrong && matcherMistake === undefined}
      saved={hook ? t('hooks.saved') : t('hooks.added')}
      save={() => {
        if (!hook) return client.customize.addHook({ folder, scope, hook: written })
        const at = { scope: hook.scope, index: hook.index, event: hook.event, command: hook.command }
        return client.customize.changeHook({ folder, place: at, hook: written })
      }}
      onClose={onClose}
    >
      <SelectField
        label={t('hooks.event')}
        value={event}
        onChange={(chosen) => setEvent(HOOK_EVENTS.find((one) => one === chosen.target.value) ?? event)}
      >
        {HOOK_EVENTS.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </SelectField>
      <TextField
        label={t('hooks.matcher')}
        mono
        value={matcher}
        error={matcherMistake}
        hint={t('hooks.matcher.hint', { subject: SUBJECTS[event] })}
        onChange={(typed) => setMatcher(typed.target.value)}
      />
      <TextAreaField
        label={t('hooks.command')}
        mono
        rows={3}
        value={command}
        hint={t('hooks.command.hint')}
        onChange={(typed) => setCommand(typed.target.value)}
      />
      <TextField
        label={t('hooks.timeout')}
        inputMode="decimal"
        value={timeout}
        error={isTimeWrong ? t('hooks.timeout.wrong') : undefined}
        onChange={(typed) => setTimeout(typed.target.value)}
      />
      {!hook && <ScopeField value={scope} place={place} onChange={setScope} />}
      {scope === 'user' && (
        <Switch
          label={t('hooks.sandbox')}
          description={t('hooks.sandbox.about')}
          checked={isSandboxed}
          onChange={setSandboxed}
        />
      )}
    </EditDialog>
  )
}

function mistakeIn(matcher: string): string | undefined {
  if (matcher === '*') return undefined
  try {
    void new RegExp(matcher)
    return undefined
  } catch (error) {
    return errorText(error)
  }
}
