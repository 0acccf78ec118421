import type { ElicitationPropertySchema, ElicitationSchema } from '@agentclientprotocol/sdk'
import type { FormField, FormValue, FormValues } from '../../../../shared/model/approval/form'
import { requestChoice, type RequestAnswer, type PendingRequest } from './ask-permission'

/** The outcome of a form: its values, or that the user declined it. */
export type FormEnd = { values: FormValues } | 'declined'

export function canFillForms({ capabilities }: Pick<PendingRequest, 'capabilities'>): boolean {
  return Boolean(capabilities.elicitation?.form)
}

/** Shows a form in the client. Rejects if the client cannot show it. */
export async function fillForm(
  ask: PendingRequest,
  message: string,
  requestedSchema: ElicitationSchema,
): Promise<FormEnd> {
  const { client, sessionId, approval, entry, signal } = ask
  const answer = await client.request(
    'elicitation/create',
    { sessionId, ...(!entry.agent && { toolCallId: approval.callId }), mode: 'form', message, requestedSchema },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  )
  if (answer.action !== 'accept') return 'declined'
  const content =
    'content' in answer && typeof answer.content === 'object' && answer.content !== null ? answer.content : {}
  return { values: content as FormValues }
}

/** A form of an MCP server: shown if the client supports forms, otherwise declined with the reason. */
export async function askForm(ask: PendingRequest): Promise<RequestAnswer> {
  const { preview, options } = ask.approval
  const refuse = { optionId: options.find(({ kind }) => kind === 'reject_once')!.optionId }
  if (preview?.kind !== 'form') return refuse
  if (!canFillForms(ask)) return { ...refuse, feedback: 'This editor has no forms.' }
  const end = await fillForm(ask, `${preview.server} says: ${preview.message}`, schemaOf(preview.fields))
  if (end === 'declined') return refuse
  const submit = options.find(({ kind }) => kind !== 'reject_once')
  return submit ? { optionId: submit.optionId, values: enteredValues(preview.fields, end.values) } : refuse
}

/** A page that a server asks to open: the client opens it if it can; otherwise the user sees its URL. */
export async function askLink(ask: PendingRequest): Promise<RequestAnswer> {
  const { client, sessionId, capabilities, approval, signal } = ask
  const { preview, options } = approval
  const allow = options.find(({ kind }) => kind !== 'reject_once')
  const refuse = { optionId: options.find(({ kind }) => kind === 'reject_once')!.optionId }
  if (preview?.kind !== 'link' || !allow) return refuse
  const { url, message, server } = preview
  const address = [
    { type: 'content' as const, content: { type: 'text' as const, text: `${server} says: ${message}\n\n<${url}>` } },
  ]
  if (!capabilities.elicitation?.url || preview.opened) {
    const chosen = await requestChoice(ask, options, { title: approval.summary, content: address })
    return chosen === 'cancelled' ? chosen : { optionId: chosen }
  }
  const answer = await client.request(
    'elicitation/create',
    { sessionId, mode: 'url', url, elicitationId: approval.approvalId, message: `${server} says: ${message}` },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  )
  return answer.action === 'accept' ? { optionId: allow.optionId } : refuse
}

/** A server's sampling request, shown as text with the options of the request. */
export async function askSampling(ask: PendingRequest): Promise<RequestAnswer> {
  const { preview, options, summary } = ask.approval
  const refuse = { optionId: options.find(({ kind }) => kind === 'reject_once')!.optionId }
  if (preview?.kind !== 'sampling') return refuse
  const { server, system, messages, answer } = preview
  const texts = messages.map(({ role, text }) => `**${role}**\n\n${text}`)
  const text = [
    `**${server}** asks the model:`,
    ...(system === undefined ? [] : [`**system**\n\n${system}`]),
    ...texts,
    ...(answer ? [`**${answer.model} answers**\n\n${answer.text}`] : []),
  ].join('\n\n')
  const chosen = await requestChoice(ask, options, {
    title: summary,
    content: [{ type: 'content', content: { type: 'text', text } }],
  })
  return chosen === 'cancelled' ? chosen : { optionId: chosen }
}

function schemaOf(fields: readonly FormField[]): ElicitationSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.key, propertyOf(field)])),
    required: fields.filter(({ required }) => required).map(({ key }) => key),
  }
}

function propertyOf(field: FormField): ElicitationPropertySchema {
  const { title, description } = field
  const named = { title, ...(description !== undefined && { description }) }
  switch (field.kind) {
    case 'text': {
      const { format, minLength, maxLength, default: first } = field
      return { type: 'string', ...named, ...defined({ format, minLength, maxLength, default: first }) }
    }
    case 'number': {
      const { integer, minimum, maximum, default: first } = field
      return { type: integer ? 'integer' : 'number', ...named, ...defined({ minimum, maximum, default: first }) }
    }
    case 'boolean':
      return { type: 'boolean', ...named, ...defined({ default: field.default }) }
    case 'choice':
      return { type: 'string', ...named, oneOf: titled(field.options), ...defined({ default: field.default }) }
    default: {
      const { minItems, maxItems, default: first } = field
      return {
        type: 'array',
        ...named,
        items: { anyOf: titled(field.options) },
        ...defined({ minItems, maxItems, default: first }),
      }
    }
  }
}

function titled(options: readonly { value: string; title: string }[]): { const: string; title: string }[] {
  return options.map(({ value, title }) => ({ const: value, title }))
}

function defined<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}

/** Drops empty text of optional fields. */
function enteredValues(fields: readonly FormField[], values: FormValues): FormValues {
  const kept = fields.flatMap(({ key, required }): [string, FormValue][] => {
    // A field can have the name of a property that every object has.
    const value = Object.hasOwn(values, key) ? values[key] : undefined
    return value === undefined || value === null || (value === '' && !required) ? [] : [[key, value]]
  })
  return Object.fromEntries(kept)
}
