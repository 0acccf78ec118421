import type { ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult } from '@modelcontextprotocol/client'
import {
  formProblems,
  keptValues,
  TEXT_LIMIT,
  type FormField,
  type FormOption,
} from '../../../../shared/model/approval/form'
import type { ApprovalOption } from '../../../../shared/model/approval/approval'
import type { CallAnswer, CallQuestion } from '../../tool/tool'
import type { CallInFlight, ServedConnection } from '../protocol/connection'
import { isRecord } from '../../../../shared/json-fields'
import { latestCall, type AskLimits } from './ask-limits'
import { serverLine, serverText, withoutUnseen } from '../protocol/server-log'

const MESSAGE_CHARS = 4000
const URL_CHARS = 8192
/** A page to open. Its id is omitted: it is not needed to show the page and is missing in the stateless revision. */
export type PageParams = Omit<ElicitRequestURLParams, 'elicitationId'>

const CANCEL: ElicitResult = { action: 'cancel' }

const NO: ApprovalOption[] = [
  { optionId: 'decline', kind: 'reject_once', name: 'Decline' },
  { optionId: 'cancel', kind: 'reject_once', name: 'Cancel' },
]

/**
 * Passes a server's question to the user whose call it is working on. Cancelled immediately without such a call or an
 * available user.
 */
export async function elicit(
  limits: AskLimits,
  connection: ServedConnection,
  params: ElicitRequestFormParams | PageParams,
  signal: AbortSignal,
  call = latestCall(connection),
): Promise<ElicitResult> {
  if (!call) return cancelled(connection, 'It asked for something outside any call.')
  const question = params.mode === 'url' ? linkQuestion(connection.name, params) : formQuestion(connection.name, params)
  if (!question) {
    const why = unshownBecause(params)
    limits.reportUnshown(connection, why)
    return cancelled(connection, `It asked for something that cannot be shown: ${why}.`)
  }
  const asked = await limits.run(connection, call, () => call.ctx.ask(question, signal))
  if ('refused' in asked) return cancelled(connection, asked.refused)
  return resultOf(asked.answer)
}

/**
 * The user opens a page for a server and confirms when done; `done` aborts when the server confirms instead, `ends`
 * aborts when nothing waits for it any longer.
 */
export async function openPage(
  limits: AskLimits,
  connection: ServedConnection,
  call: CallInFlight,
  params: PageParams,
  done: AbortSignal,
  ends?: AbortSignal,
): Promise<ElicitResult['action']> {
  const question = linkQuestion(connection.name, params)
  if (!question || question.preview.kind !== 'link') return 'cancel'
  const opened = await limits.run(connection, call, () => call.ctx.ask(question, ends))
  if ('refused' in opened) return 'cancel'
  const { action } = resultOf(opened.answer)
  if (action !== 'accept' || done.aborted) return action
  const waiting: CallQuestion = {
    ...question,
    summary: `Waiting until you are done: ${question.summary}`,
    reason: `The server ${connection.name} continues when you are done on that page.`,
    preview: { ...question.preview, opened: true },
    options: [
      { optionId: 'done', kind: 'allow_once', name: 'I am done' },
      { optionId: 'cancel', kind: 'reject_once', name: 'Cancel' },
    ],
  }
  const finished = await limits.run(connection, call, () =>
    call.ctx.ask(waiting, ends ? AbortSignal.any([done, ends]) : done),
  )
  return done.aborted || ('answer' in finished && isAccepted(finished.answer)) ? 'accept' : 'cancel'
}

/** Why a form or page cannot be shown, as the end of a sentence. */
export function unshownBecause(params: Readonly<Record<string, unknown>>): string {
  if (params['mode'] === 'url') return 'a page that is not of http or https, or whose address names a user'
  const schema = params['requestedSchema']
  const properties = isRecord(schema) && isRecord(schema['properties']) ? schema['properties'] : {}
  for (const [key, property] of Object.entries(properties)) {
    const type = isRecord(property) ? property['type'] : undefined
    if (typeof type === 'string' && FIELD_TYPES.has(type)) continue
    const name = serverLine(key, 60) || '?'
    const what = typeof type === 'string' ? ` (${serverLine(type, 30)})` : ''
    return `a form whose field “${name}” is of an unsupported type${what}`
  }
  return 'a form with too many fields or choices, or with a field that cannot be filled in'
}

const FIELD_TYPES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'array'])

function formQuestion(server: string, { message, requestedSchema }: ElicitRequestFormParams): CallQuestion | undefined {
  const fields = formFields(requestedSchema)
  if (!fields) return undefined
  return {
    asks: 'form',
    summary: serverLine(message, 200),
    reason: `The server ${server} needs this to continue the call. It gets exactly what you enter.`,
    preview: { kind: 'form', server, message: serverText(message, MESSAGE_CHARS), fields },
    options: [{ optionId: 'send', kind: 'allow_once', name: 'Send' }, ...NO],
    problemOf({ optionId, values }) {
      if (optionId !== 'send') return undefined
      if (!values) return 'values: fill in the form, or decline.'
      const [problem] = Object.entries(formProblems(fields, values))
      return problem && `values.${problem[0]}: ${problem[1]}`
    },
    kept: ({ optionId, values }) => (optionId === 'send' && values ? keptValues(fields, values) : undefined),
  }
}

function linkQuestion(server: string, { message, url }: PageParams): CallQuestion | undefined {
  const page = webPage(url)
  if (!page) return undefined
  return {
    asks: 'link',
    summary: `${page.host}: ${serverLine(message, 200)}`,
    reason:
      `The server ${server} asks you to open this page in your browser. ` +
      'What you do there it does not see through Trestle.',
    preview: { kind: 'link', server, message: serverText(message, MESSAGE_CHARS), url: page.href },
    options: [{ optionId: 'open', kind: 'allow_once', name: `Open ${page.host}` }, ...NO],
  }
}

/** Only http and https, without a user name or password: text before an @ looks like the host. */
function webPage(url: string): URL | undefined {
  if (url.length > URL_CHARS || !URL.canParse(url)) return undefined
  const page = new URL(url)
  const isWeb = page.protocol === 'https:' || page.protocol === 'http:'
  return isWeb && page.username === '' && page.password === '' ? page : undefined
}

function resultOf(answer: CallAnswer): ElicitResult {
  if ('none' in answer || answer.optionId === 'cancel') return CANCEL
  if (!isAccepted(answer)) return { action: 'decline' }
  return answer.values ? { action: 'accept', content: answer.values } : { action: 'accept' }
}

function isAccepted(answer: CallAnswer): boolean {
  return 'kind' in answer && answer.kind !== 'reject_once'
}

function cancelled({ log }: ServedConnection, why: string): ElicitResult {
  log({ from: 'connection', level: 'warning', text: `A request for something from the user was cancelled. ${why}` })
  return CANCEL
}

const MAX_FIELDS = 100
const MAX_OPTIONS = 500
/** Maximum length of all fields as JSON: a form is recorded, and part of the session's header while it is open. */
const MAX_FORM_CHARS = 500_000
const TITLE_CHARS = 200
const DESCRIPTION_CHARS = 1000
const SECRET = /pass(?:word|phrase|code)|secret|token|credential|(?:api|access|private)[\s_-]?key|\b(?:pin|cvv|otp)\b/i

type Property = ElicitRequestFormParams['requestedSchema']['properties'][string]

/** The fields of a server's form; undefined when it cannot be filled in. */
export function formFields({
  properties,
  required = [],
}: ElicitRequestFormParams['requestedSchema']): FormField[] | undefined {
  const entries = Object.entries(properties)
  if (entries.length > MAX_FIELDS) return undefined
  const fields: FormField[] = []
  for (const [key, property] of entries) {
    if (key.length > TITLE_CHARS) return undefined
    const field = fieldOf(key, property, required.includes(key))
    if (!field) return undefined
    fields.push(field)
  }
  return JSON.stringify(fields).length > MAX_FORM_CHARS ? undefined : fields
}

function fieldOf(key: string, property: Property, required: boolean): FormField | undefined {
  const { title, description } = property
  const base = {
    key,
    title: serverLine(title ?? '', TITLE_CHARS) || serverLine(key, TITLE_CHARS) || '?',
    ...(description !== undefined && { description: serverText(description, DESCRIPTION_CHARS) }),
    required,
  }
  if (property.type === 'boolean') return { ...base, kind: 'boolean', ...defined({ default: property.default }) }
  if (property.type === 'number' || property.type === 'integer') {
    const { minimum, maximum } = property
    return {
      ...base,
      kind: 'number',
      integer: property.type === 'integer',
      ...defined({ minimum, maximum, default: property.default }),
    }
  }
  const options = optionsOf(property)
  if (options && (options.length === 0 || options.length > MAX_OPTIONS)) return undefined
  if (property.type === 'array') {
    const { minItems, maxItems } = property
    const chosen = property.default?.filter((value) => options?.some((option) => option.value === value))
    return { ...base, kind: 'choices', options: options ?? [], ...defined({ minItems, maxItems, default: chosen }) }
  }
  if (options) {
    const chosen = options.find((option) => option.value === property.default)
    return { ...base, kind: 'choice', options, ...(chosen && { default: chosen.value }) }
  }
  const { format, minLength, maxLength, default: given } = property as Extract<Property, { minLength?: unknown }>
  const secret = SECRET.test(key.replace(/([a-z])([A-Z])/g, '$1 $2')) || SECRET.test(title ?? '')
  return {
    ...base,
    kind: 'text',
    ...defined({ format, minLength, maxLength, default: defaultText(given, maxLength) }),
    ...(secret && { secret: true }),
  }
}

/** What the user would send without changing it: nothing that they cannot see, and nothing that the form rejects. */
function defaultText(given: string | undefined, maxLength = TEXT_LIMIT): string | undefined {
  if (given === undefined) return undefined
  const seen = withoutUnseen(given)
  return Array.from(seen).length <= Math.min(maxLength, TEXT_LIMIT) ? seen : undefined
}

/** The choices; undefined if free text is allowed. Of duplicate values, only the first is kept. */
function optionsOf(property: Property): FormOption[] | undefined {
  const seen = new Set<string>()
  return listed(property)?.filter(({ value }) => !seen.has(value) && seen.add(value))
}

function listed(property: Property): FormOption[] | undefined {
  if (property.type === 'array')
    return 'enum' in property.items ? plain(property.items.enum) : titled(property.items.anyOf)
  if ('oneOf' in property) return titled(property.oneOf)
  if (!('enum' in property)) return undefined
  return plain(property.enum, 'enumNames' in property ? property.enumNames : undefined)
}

function plain(values: readonly string[], names: readonly string[] = []): FormOption[] {
  return values.map((value, index) => ({
    value,
    title: serverLine(names[index] ?? value, TITLE_CHARS) || serverLine(value, TITLE_CHARS),
  }))
}

function titled(options: readonly { const: string; title: string }[]): FormOption[] {
  return options.map(({ const: value, title }) => ({
    value,
    title: serverLine(title, TITLE_CHARS) || serverLine(value, TITLE_CHARS),
  }))
}

type Defined<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> }

function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
}
