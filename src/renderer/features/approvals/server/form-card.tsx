import { TriangleAlert } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { REJECT_KEY } from '../../../../shared/model/approval/approval'
import { formProblems } from '../../../../shared/model/approval/form'
import type { Preview } from '../../../../shared/model/approval/preview'
import { useEscape } from '../../../state/page/escape'
import { Button } from '../../../ui/button'
import { ErrorNote } from '../../../ui/notice'
import type { ApprovalCardProps } from '../approval-card'
import { useCardKeys, useAnswerGrace } from '../card-actions'
import { useReply } from '../use-reply'
import { draftOf, forgetDraft, keepDraft, valuesOf, type FormDraft, FormFieldView } from './form-field'
import { ServerCard } from '../card-head'

interface FormCardProps extends ApprovalCardProps {
  form: Extract<Preview, { kind: 'form' }>
}

/** A form requested by an MCP server. Enter submits it, Esc cancels. */
export function FormCard(props: FormCardProps) {
  const { form: asked, approval, behind = 0, place = '', blocked } = props
  const { server, message, fields } = asked
  const [draft, setDraft] = useState<FormDraft>(() => draftOf(approval.approvalId, fields))
  const [checked, setChecked] = useState(false)
  const grace = useAnswerGrace(place)
  const { card, sent, failure, send } = useReply(props)
  const form = useRef<HTMLFormElement>(null)
  const locked = sent || blocked !== undefined
  const values = valuesOf(fields, draft)
  const problems = formProblems(fields, values)
  const asksSecret = fields.some((field) => field.kind === 'text' && field.secret)
  useEffect(() => keepDraft(approval.approvalId, fields, draft), [approval.approvalId, fields, draft])

  const answer = (optionId: string): void => {
    if (locked || !grace.isArmed) return
    send({ optionId })
    forgetDraft(approval.approvalId)
  }
  const submit = (): void => {
    if (locked || !grace.isArmed) return
    setChecked(true)
    if (Object.keys(problems).length > 0) {
      requestAnimationFrame(() =>
        form.current?.querySelector<HTMLElement>('input[aria-invalid], select[aria-invalid]')?.focus(),
      )
      return
    }
    send({ optionId: 'send', values })
    forgetDraft(approval.approvalId)
  }
  useEscape('card', !locked, (event) => {
    if (!event.repeat) answer('cancel')
  })
  useCardKeys([REJECT_KEY], !locked, grace.since, () => answer('decline'))

  return (
    <ServerCard
      ref={card}
      label={`${server} is asking for information`}
      behind={behind}
      title={
        <>
          <b>{server}</b> is asking for information
        </>
      }
    >
      <form
        ref={form}
        noValidate
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <div className="approval-body">
          <div className="server-body">
            <p className="server-words">
              <span className="approval-says">{server} says:</span> <bdi>{message}</bdi>
            </p>
            {fields.map((field) => (
              <FormFieldView
                key={field.key}
                field={field}
                value={draft[field.key]}
                error={checked ? problems[field.key] : undefined}
                disabled={locked}
                onChange={(value) => setDraft({ ...draft, [field.key]: value })}
              />
            ))}
          </div>
          {asksSecret && (
            <p className="server-warning">
              <TriangleAlert aria-hidden /> This form asks for a secret. Servers shouldn’t do that. Decline unless
              you’re sure.
            </p>
          )}
          {failure && <ErrorNote failure={failure} className="m-3" />}
        </div>
        <div className="approval-acts">
          <Button
            type="submit"
            variant="primary"
            kbd="Enter"
            disabled={locked}
            aria-disabled={!grace.isArmed || undefined}
          >
            Submit
          </Button>
          <Button
            kbd={REJECT_KEY}
            disabled={locked}
            aria-disabled={!grace.isArmed || undefined}
            onClick={() => answer('decline')}
          >
            Decline
          </Button>
          <Button
            variant="quiet"
            kbd="Esc"
            disabled={locked}
            aria-disabled={!grace.isArmed || undefined}
            onClick={() => answer('cancel')}
          >
            Cancel
          </Button>
          {blocked !== undefined && <span className="text-small text-ink-3">{blocked}</span>}
        </div>
      </form>
    </ServerCard>
  )
}
