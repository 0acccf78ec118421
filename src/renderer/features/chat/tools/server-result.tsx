import { useContext, useState } from 'react'
import type { ResultPart } from '../../../../shared/model/turn/message'
import type { ToolDetails, ServerLink, Preview } from '../../../../shared/model/approval/preview'
import { PlainText } from './result-views'
import type { Failure } from '../../../../shared/errors'
import type { McpResourceContent } from '../../../../shared/configuration/customize/mcp-content'
import { failureFrom } from '../../../client/failure-from'
import { useClient } from '../../../state/page/queries'
import { Button } from '../../../ui/button'
import { ErrorNote } from '../../../ui/notice'
import { WebLink } from '../markdown-elements/web-link'
import { TerminalsContext } from './background-task'
import type { FormField, FormValue } from '../../../../shared/model/approval/form'
import { describeDenial } from '../../../../shared/model/task/sandbox'
import type { CallQuestionItem } from '../../../../shared/events/transcript-item'

/** The result of an MCP tool: its text, its images, and the resources it links to, which are not fetched. */
export function ServerResult({
  details,
  content,
}: {
  details: Extract<ToolDetails, { kind: 'server' }>
  content: readonly ResultPart[]
}) {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return (
    <>
      {text.trim() !== '' && <PlainText text={text} label={`Result of ${details.tool}`} />}
      {content.map((part, n) =>
        part.type === 'media' && /^image\/(?:png|jpeg)$/.test(part.mediaType) ? (
          <figure key={n} className="media-preview">
            <img src={`data:${part.mediaType};base64,${part.data}`} alt={`What ${details.tool} shows`} />
          </figure>
        ) : null,
      )}
      {details.links.length > 0 && (
        <ul className="web-hits" aria-label={`Resources that ${details.tool} points to`}>
          {details.links.map((link, n) => (
            <ResourceLink key={n} server={details.server} link={link} />
          ))}
        </ul>
      )}
    </>
  )
}

type Shown =
  | { kind: 'closed' }
  | { kind: 'asking' }
  | { kind: 'open'; content: McpResourceContent }
  | { kind: 'failed'; failure: Failure }

/** A resource that a result links to. It is fetched only when the user opens it; the model does not get it. */
function ResourceLink({ server, link }: { server: string; link: ServerLink }) {
  const { uri, name, mediaType, description } = link
  const client = useClient()
  const { sessionId } = useContext(TerminalsContext)
  const [shown, setShown] = useState<Shown>({ kind: 'closed' })
  const show = (): void => {
    if (shown.kind === 'open') return setShown({ kind: 'closed' })
    setShown({ kind: 'asking' })
    client.mcpContent.read({ sessionId, server, uri }).then(
      (content) => setShown({ kind: 'open', content }),
      (error: unknown) => setShown({ kind: 'failed', failure: failureFrom(error) }),
    )
  }
  return (
    <li>
      <WebLink href={uri} text={name}>
        {name}
      </WebLink>
      <span className="web-host">{mediaType ?? ''}</span>
      <p className="break-all">{description ?? uri}</p>
      <Button
        size="small"
        variant="quiet"
        busy={shown.kind === 'asking'}
        aria-expanded={shown.kind === 'open'}
        onClick={show}
      >
        {shown.kind === 'open' ? 'Hide' : 'Show'} <span className="sr-only">{name}</span>
      </Button>
      {shown.kind === 'failed' && <ErrorNote failure={shown.failure} />}
      {shown.kind === 'open' &&
        shown.content.parts.map((part, n) =>
          part.type === 'text' ? (
            <PlainText key={n} text={part.text} label={name} />
          ) : part.type === 'media' ? (
            <figure key={n} className="media-preview">
              <img src={`data:${part.mediaType};base64,${part.data}`} alt={name} />
            </figure>
          ) : (
            <p key={n} className="tool-note">
              Cannot be shown here: {part.text}.
            </p>
          ),
        )}
    </li>
  )
}

/** What the server asked during the call, and the answers. */
export function CallQuestions({ questions }: { questions: readonly CallQuestionItem[] }) {
  return (
    <ul className="call-questions" aria-label="Asked during the call">
      {questions.map((question) => (
        <li key={question.approvalId}>
          <p>
            {askedFor(question.preview)} <b>{endOf(question)}</b>
            {question.reason !== undefined && <span className="text-ink-3"> {question.reason}</span>}
          </p>
          {question.preview?.kind === 'form' && question.values && (
            <Answers fields={question.preview.fields} values={question.values} />
          )}
        </li>
      ))}
    </ul>
  )
}

function Answers({ fields, values }: { fields: readonly FormField[]; values: Readonly<Record<string, FormValue>> }) {
  return (
    <dl>
      {fields.map((field) => {
        const value = Object.hasOwn(values, field.key) ? values[field.key] : undefined
        const isSecret = field.kind === 'text' && field.secret
        if (value === undefined && !isSecret) return null
        return (
          <div key={field.key}>
            <dt>{field.title}</dt>
            <dd>{value === undefined ? 'not kept' : fieldValueText(field, value)}</dd>
          </div>
        )
      })}
    </dl>
  )
}

function fieldValueText(field: FormField, value: FormValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const options = field.kind === 'choice' || field.kind === 'choices' ? field.options : []
  const title = (one: string | number): string => options.find((option) => option.value === one)?.title ?? String(one)
  return Array.isArray(value) ? value.map(title).join(', ') : title(value)
}

function askedFor(preview: Preview | undefined): string {
  switch (preview?.kind) {
    case 'form':
      return `${preview.server} asked: ${preview.message}`
    case 'link':
      return preview.opened
        ? `Waited for you to finish on ${new URL(preview.url).host}.`
        : `${preview.server} asked you to open ${new URL(preview.url).host}.`
    case 'sampling':
      return preview.answer ? `The model’s answer for ${preview.server}.` : `${preview.server} asked to use the model.`
    case 'sandbox':
      return describeDenial(preview.denied, preview.sandbox)
    default:
      return 'The server asked a question.'
  }
}

const CHOSEN: Readonly<Record<string, string>> = {
  send: 'You answered.',
  decline: 'You declined.',
  cancel: 'You canceled.',
  open: 'You opened the page.',
  done: 'You confirmed.',
  ask: 'You allowed it.',
  refuse: 'You denied it.',
  give: 'You sent the answer.',
  keep: 'You didn’t send the answer.',
}

function endOf({ outcome, chosen, preview }: CallQuestionItem): string {
  if (outcome === undefined) return 'Pending'
  if (preview?.kind === 'sandbox' && outcome !== 'cancelled')
    return outcome === 'reject_once' ? 'Not allowed.' : 'You allowed it.'
  if (outcome === 'cancelled') return 'Not answered.'
  return (chosen !== undefined && CHOSEN[chosen]) || (outcome === 'reject_once' ? 'You declined.' : 'You answered.')
}
