import type { Approval } from '../../../shared/model/approval/approval'
import { isPerSession } from '../../../shared/model/place/place'
import { placeFolder } from '../../../shared/model/place/place-folder'
import type { SessionEvent } from '../../../shared/events/event'
import type { SessionPush } from '../../../shared/events/push'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { TrestleClient } from '../../../shared/contract'
import { CodedError, ERRORS, type Failure } from '../../../shared/errors'
import { UsageError } from '../../console/parse-command'
import { createRouter, directClient } from '../../api/server/router'
import type { HostActions } from '../../api/implementer'
import type { Engine } from '../../engine/engine-api'
import { DeniedCalls } from './print-output'
import type { PrintOptions } from './print-options'
import { interruptible, printOutput, reportEnd, usageSince, writeResult, type TurnFinished } from './print-report'

const HOST: HostActions = { kind: 'wire', chooseFolder: async () => null, openExternal: async () => false }
const logBug = (message: string, error: unknown): void =>
  void process.stderr.write(
    `trestle: ${message}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
const NO_ONE_TO_ASK = 'Print mode cannot ask, so the call was denied.'

/**
 * One turn on a place: the agent, its files and its commands are there; model calls are made here, unless the place has
 * its own keys. Same exit codes as on this machine.
 */
export async function printOnPlace(
  engine: Engine,
  options: PrintOptions,
  prompt: string,
  placeId: string,
): Promise<number> {
  if (options.worktree || options.agent || options.addDirs.length > 0)
    throw new UsageError('--place cannot be used with --worktree, --agent or --add-dir yet.', 'print')
  const place = (await engine.places.list()).find((one) => one.placeId === placeId)
  // A session with its own container connects to that.
  if (!place || !isPerSession(place.launch))
    await engine.places.connect(placeId, 'never').catch((error: unknown) => {
      throw withAdvice(error, placeId)
    })
  const client = directClient(createRouter({ engine, host: HOST, logBug }))
  try {
    return await printTurn(client, options, prompt, placeId)
  } catch (error) {
    throw ownFailure(error)
  }
}

async function printTurn(
  client: TrestleClient,
  options: PrintOptions,
  prompt: string,
  placeId: string,
): Promise<number> {
  const session = await sessionOn(client, options, placeId)
  const { sessionId, seq: since, spent: before } = session
  const output = printOutput(options.format)
  const denied = new DeniedCalls(() => () => undefined)
  const isInterrupted = interruptible(() => client.session.stop({ sessionId }))
  const controller = new AbortController()
  const pushes = await client.push.session({ sessionId, since }, { signal: controller.signal })
  await client.session.prompt({
    sessionId,
    parts: [{ type: 'text', text: prompt }],
    ...(options.effort !== undefined && { effort: options.effort }),
  })
  const end = await untilFinished(pushes, (event) => {
    output.event(event)
    denied.onEvent(event)
    if (event.type === 'approval.requested') void deny(client, sessionId, event.approval, denied)
  })
  controller.abort()
  const { header } = await client.session.open({ sessionId, limit: 1 })
  await writeResult(output, sessionId, end, { denials: denied.list, usage: usageSince(before, header.spent) })
  return reportEnd(end, denied, isInterrupted())
}

async function sessionOn(client: TrestleClient, options: PrintOptions, placeId: string): Promise<SessionHeader> {
  const { cwd, noProject, model, continueLatest } = options
  const mode = options.mode === 'plan' ? undefined : options.mode
  const folder = placeFolder({ placeId, path: options.placeCwd ?? '~' })
  let { sessionId } = options
  if (continueLatest) {
    sessionId = (await client.session.list({ folder, limit: 1 }))[0]?.sessionId
    if (sessionId === undefined)
      throw new CodedError('session.not_found', `There is no session of ${cwd} on ${placeId}.`)
  }
  if (sessionId === undefined) {
    // A private folder is created on the place, so the place must be named in another way.
    if (noProject)
      throw new UsageError('--place cannot be used with --no-project yet; name a folder there with --cwd.', 'print')
    const header = await client.session.create({ folder, ...(model !== undefined && { model }), ...(mode && { mode }) })
    return options.mode === 'plan' ? client.plan.enter({ sessionId: header.sessionId }) : header
  }
  const { header } = await client.session.open({ sessionId, limit: 1 })
  const change = { ...(model !== undefined && { model }), ...(mode && { mode }) }
  return Object.keys(change).length > 0 ? client.session.change({ sessionId, ...change }) : header
}

async function untilFinished(
  pushes: AsyncIterable<SessionPush>,
  onEvent: (event: SessionEvent) => void,
): Promise<TurnFinished> {
  for await (const push of pushes) {
    if (push.type !== 'events') continue
    for (const event of push.events) {
      onEvent(event)
      if (event.type === 'turn.finished') return event
    }
  }
  throw new CodedError('connection.lost', 'The session ended before its turn did.')
}

/** Denies a request: in print mode the user cannot answer. */
async function deny(
  client: TrestleClient,
  sessionId: string,
  { approvalId, options, tool, summary, reason }: Approval,
  denied: DeniedCalls,
): Promise<void> {
  const reject = options.find(({ kind }) => kind === 'reject_once')
  if (!reject) return
  denied.list.push({ tool, summary, reason })
  const feedback = reject.optionId === 'reject' ? { feedback: NO_ONE_TO_ASK } : {}
  await client.approval.reply({ sessionId, approvalId, optionId: reject.optionId, ...feedback }).catch(() => undefined)
}

/** Errors of the API contain the failure; convert it to an error of this program. */
function ownFailure(error: unknown): unknown {
  const data = error instanceof Error && 'data' in error ? (error.data as Partial<Failure> | undefined) : undefined
  return data?.code !== undefined && Object.hasOwn(ERRORS, data.code)
    ? new CodedError(data.code, data.message ?? '', { cause: error })
    : error
}

/** Print mode cannot ask, so it names a command in which ssh can ask. */
function withAdvice(error: unknown, placeId: string): unknown {
  if (!(error instanceof CodedError) || !['place.refused', 'place.host_key'].includes(error.code)) return error
  return new CodedError(error.code, `${error.message} In a terminal, "trestle place test ${placeId}" lets ssh ask you.`)
}
