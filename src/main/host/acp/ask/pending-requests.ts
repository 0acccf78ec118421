import type {
  AgentContext,
  ClientCapabilities,
  ElicitationPropertySchema,
  PermissionOption,
} from '@agentclientprotocol/sdk'
import { failureOf } from '../../../../shared/errors'
import type { InboxEntry } from '../../../../shared/model/approval/approval'
import type { ClientEngine } from '../../../role/joined/client-engine'
import type { ClientPaths } from '../protocol/client-paths'
import { failureMessage } from '../protocol/json-rpc'
import { type RequestAnswer, type PendingRequest, askPermission, askOptions, requestChoice } from './ask-permission'
import { askForm, askLink, askSampling, canFillForms, fillForm } from './ask-form'
import type { Question, QuestionAnswer } from '../../../../shared/model/approval/form'

/** The parts of an open session that asking needs. */
interface OpenSession {
  paths: ClientPaths
  /** Sends pending updates: the client must know a call before it is opened to approve it. */
  flush(): void
}

interface PendingRequestsDeps {
  engine: { inbox: ClientEngine['inbox']; sessions: Pick<ClientEngine['sessions'], 'stop' | 'reply'> }
  client: Pick<AgentContext, 'request'>
  capabilities(): ClientCapabilities
  /** The session, if the client has it open. */
  session(sessionId: string): OpenSession | undefined
  log(message: string): void
}

/** Shows pending requests of the client's sessions and their subagents in the client, and returns the answers. */
export class PendingRequests {
  readonly #deps: PendingRequestsDeps
  readonly #open = new Map<string, AbortController>()

  constructor(deps: PendingRequestsDeps) {
    this.#deps = deps
  }

  /** Call it whenever the inbox has changed. */
  update(): void {
    const { engine, session } = this.#deps
    const waiting = engine.inbox.list().filter((entry) => entry.elsewhere === undefined && session(rootOf(entry)))
    for (const [approvalId, controller] of this.#open) {
      if (waiting.some((entry) => entry.approvalId === approvalId)) continue
      controller.abort()
      this.#open.delete(approvalId)
    }
    for (const entry of waiting) if (!this.#open.has(entry.approvalId)) void this.#ask(entry)
  }

  async #ask(entry: InboxEntry): Promise<void> {
    const { engine, log } = this.#deps
    const { sessionId, approvalId } = entry
    const controller = new AbortController()
    this.#open.set(approvalId, controller)
    try {
      const answer = await this.#requestAnswer(entry, controller.signal)
      if (controller.signal.aborted) return
      if (answer === 'cancelled') await engine.sessions.stop(rootOf(entry))
      else await engine.sessions.reply(sessionId, { approvalId, ...answer })
    } catch (error) {
      if (controller.signal.aborted) return
      await this.#reject(entry, errorMessage(error)).catch((problem: unknown) =>
        log(`A request could not be answered: ${errorMessage(problem)}`),
      )
    }
  }

  async #requestAnswer(entry: InboxEntry, signal: AbortSignal): Promise<RequestAnswer> {
    const { engine, client, capabilities, session } = this.#deps
    const root = rootOf(entry)
    const opened = session(root)
    if (!opened) return 'cancelled'
    const approval = await engine.inbox.get(entry.sessionId, entry.approvalId)
    const ask: PendingRequest = {
      client,
      capabilities: capabilities(),
      sessionId: root,
      paths: opened.paths,
      entry,
      approval,
      signal,
    }
    opened.flush()
    switch (approval.asks) {
      case undefined:
        return askPermission(ask, () => engine.inbox.choices(entry.sessionId, entry.approvalId))
      case 'plan':
        return askPlan(ask)
      case 'questions':
        return askQuestions(ask)
      case 'form':
        return askForm(ask)
      case 'link':
        return askLink(ask)
      case 'sandbox':
      case 'budget':
        return askOptions(ask)
      default:
        return askSampling(ask)
    }
  }

  /** When the client cannot ask, the request is denied. */
  async #reject({ sessionId, approvalId, options }: InboxEntry, why: string): Promise<void> {
    const { engine, log } = this.#deps
    log(`The client could not ask: ${why}`)
    const refusal =
      options.find(({ optionId }) => optionId === 'reject') ?? options.findLast(({ kind }) => kind === 'reject_once')
    if (!refusal) return
    const feedback = `The editor could not ask me about it (${why}). It was not allowed.`
    await engine.sessions.reply(sessionId, { approvalId, optionId: refusal.optionId, feedback })
  }
}

function rootOf({ agent, sessionId }: InboxEntry): string {
  return agent?.rootId ?? sessionId
}

function errorMessage(error: unknown): string {
  return error instanceof Error && error.name !== 'CodedError' ? error.message : failureMessage(failureOf(error))
}

const DISMISS = 'dismiss'
const ENOUGH = 'enough'
const NOT_ANSWERED = '(not answered)'

/** Shows the agent's questions: in one form if the client supports forms, otherwise one by one as options. */
async function askQuestions(ask: PendingRequest): Promise<RequestAnswer> {
  const { preview } = ask.approval
  if (preview?.kind !== 'questions') return { optionId: DISMISS }
  return canFillForms(ask) ? inForm(ask, preview.questions) : inTurn(ask, preview.questions)
}

async function inForm(ask: PendingRequest, questions: readonly Question[]): Promise<RequestAnswer> {
  const properties: Record<string, ElicitationPropertySchema> = {}
  for (const [index, one] of questions.entries()) {
    properties[`q${index + 1}`] = propertyOf(one)
    properties[`q${index + 1}_other`] = {
      type: 'string',
      title: `${one.header ?? `Question ${index + 1}`}: other`,
      description: 'In your own words, if none of the options fits.',
    }
  }
  const end = await fillForm(ask, questions.map(({ question }) => question).join('\n'), { type: 'object', properties })
  if (end === 'declined') return { optionId: DISMISS }
  const answers = questions.map((one, index) =>
    answerFrom(one, end.values[`q${index + 1}`], end.values[`q${index + 1}_other`]),
  )
  if (answers.every((answer) => answer === undefined)) return { optionId: DISMISS }
  return { optionId: 'answer', answers: answers.map((answer) => answer ?? { labels: [], other: NOT_ANSWERED }) }
}

function propertyOf({ question, header, options, multi_select: multiple }: Question): ElicitationPropertySchema {
  const named = { title: header ?? question, description: question }
  const offered = options.map(({ label, description }) => ({
    const: label,
    title: description === '' ? label : `${label}: ${description}`,
  }))
  return multiple
    ? { type: 'array', ...named, items: { anyOf: offered } }
    : { type: 'string', ...named, oneOf: offered }
}

/** Undefined when nothing was answered. Free text replaces a single choice and is added to multiple choices. */
function answerFrom(
  { options, multi_select: multiple }: Question,
  chosen: unknown,
  written: unknown,
): QuestionAnswer | undefined {
  const given = Array.isArray(chosen) ? chosen : [chosen]
  const labels = options.map(({ label }) => label).filter((label) => given.includes(label))
  const other = typeof written === 'string' && written.trim() !== '' ? written.trim() : undefined
  if (other !== undefined) return { labels: multiple ? labels : [], other }
  return labels.length === 0 ? undefined : { labels: multiple ? labels : labels.slice(0, 1) }
}

async function inTurn(ask: PendingRequest, questions: readonly Question[]): Promise<RequestAnswer> {
  const answers: QuestionAnswer[] = []
  for (const [index, one] of questions.entries()) {
    const labels = await chosenLabels(ask, one, questions.length > 1 ? `${index + 1} of ${questions.length}: ` : '')
    if (labels === 'cancelled') return 'cancelled'
    if (labels.length === 0) return { optionId: DISMISS }
    answers.push({ labels })
  }
  return { optionId: 'answer', answers }
}

/** For multiple choice, asks again until the user is done. Empty: the question was dismissed. */
async function chosenLabels(
  ask: PendingRequest,
  { question, options, multi_select: multiple }: Question,
  place: string,
): Promise<string[] | 'cancelled'> {
  const labels: string[] = []
  for (;;) {
    const left = options.filter(({ label }) => !labels.includes(label))
    if (left.length === 0) return labels
    const end: PermissionOption =
      labels.length > 0
        ? { optionId: ENOUGH, kind: 'allow_once', name: `That is all: ${labels.join(', ')}` }
        : { optionId: DISMISS, kind: 'reject_once', name: 'Skip' }
    const offered = left.map(({ label }): PermissionOption => ({
      optionId: `option-${options.findIndex((one) => one.label === label) + 1}`,
      kind: 'allow_once',
      name: label,
    }))
    const about = options.map(({ label, description }) => `- **${label}**: ${description}`).join('\n')
    const chosen = await requestChoice(ask, [...offered, end], {
      title: `${place}${question}`,
      content: [{ type: 'content', content: { type: 'text', text: about } }],
    })
    if (chosen === 'cancelled') return chosen
    if (chosen === DISMISS) return []
    if (chosen === ENOUGH) return labels
    labels.push(options[Number(chosen.slice('option-'.length)) - 1]!.label)
    if (!multiple) return labels
  }
}

const ASK_FOR_CHANGES =
  'The user wants changes, but could not specify them here. ' +
  'Ask them in the text of your answer what should change, and end your turn.'

/**
 * Shows a plan: approve it (or one of its alternatives), request changes, or reject it. Asks for the changes in a form
 * if the client supports forms.
 */
async function askPlan(ask: PendingRequest): Promise<RequestAnswer> {
  const { options } = ask.approval
  const optionId = await requestChoice(ask, options)
  if (optionId !== 'revise') return optionId === 'cancelled' ? optionId : { optionId }
  if (!canFillForms(ask)) return { optionId, feedback: ASK_FOR_CHANGES }
  const end = await fillForm(ask, 'What should change in the plan?', {
    type: 'object',
    properties: { changes: { type: 'string', title: 'Changes' } },
    required: ['changes'],
  })
  const words = end === 'declined' ? '' : String(end.values['changes'] ?? '').trim()
  return { optionId, feedback: words === '' ? ASK_FOR_CHANGES : words }
}
