import { CodedError } from '../../../../shared/model/errors'
import type { RestorePreview } from '../../../../shared/model/checkpoint'
import type { RestoreRequest } from '../../../engine/engine-api'
import type { CommandEnd } from './chat-command'
import type { Conversation } from '../conversation'
import { fit, oneLine, safeText } from '../screen/safe-text'

/** Paths that are named one by one. */
const MOST_NAMED = 20

/** Goes back to before a message, after showing what that would do. */
export async function restore(conversation: Conversation, argument: string): Promise<CommandEnd> {
  const { engine, sessionId, printer, terminal } = conversation
  const points = await engine.checkpoints.points(sessionId)
  if (argument !== '' && !/^[1-9]\d*$/.test(argument)) throw new CodedError('request.invalid', 'Say the number of a message: /undo 2.')
  const point = argument === '' ? points.at(-1) : points[Number(argument) - 1]
  if (!point)
    throw new CodedError('request.invalid', points.length === 0 ? 'Nothing was said yet.' : `There are ${points.length} messages.`)
  const to = point.seq - 1
  const preview = await engine.checkpoints.preview(sessionId, { to, files: true, conversation: true })
  printer.line(fit(`Back to before message ${point.n}: ${oneLine(point.text)}`, terminal.columns - 1))
  tell(conversation, preview)
  const options = ['Files and conversation', 'Only the conversation', 'Only the files', 'Leave everything as it is']
  for (const [index, option] of options.entries()) printer.line(`  ${terminal.style.amber(`${index + 1}`)}  ${option}`)
  const key = await terminal.readKey({ keys: '1234', prompt: `${terminal.style.amber('Take back?')} ` })
  if (key === undefined || key === '4') {
    printer.note('Nothing was changed.')
    return 'done'
  }
  await carryOut(conversation, { to, files: key !== '2', conversation: key !== '3' })
  // What was taken back can be said again, or better.
  return key === '3' ? 'done' : { draft: point.text }
}

/** Takes the latest restore back. */
export async function takeBackRestore(conversation: Conversation): Promise<void> {
  const { engine, sessionId } = conversation
  const latest = await engine.checkpoints.latestRestore(sessionId)
  if (!latest) throw new CodedError('request.invalid', 'Nothing was taken back in this session.')
  await carryOut(conversation, { to: latest.seq - 1, files: latest.count > 0, conversation: latest.conversation !== undefined })
}

async function carryOut(conversation: Conversation, request: RestoreRequest): Promise<void> {
  const { engine, sessionId, printer } = conversation
  const result = await engine.checkpoints.restore(sessionId, request)
  if (result.seq === undefined) return printer.note('There was nothing to change.')
  tell(conversation, result)
  printer.note('Done. /redo takes it back.')
}

const SIGNS = { create: '+', change: '~', delete: '-' }

function tell({ printer }: Conversation, { steps, kept, notCovered, messagesTaken }: RestorePreview): void {
  for (const { action, path } of steps.slice(0, MOST_NAMED)) printer.line(`  ${SIGNS[action]} ${safeText(path)}`)
  if (steps.length > MOST_NAMED) printer.note(`  … ${steps.length - MOST_NAMED} more`)
  for (const { path, why } of kept) printer.line(`  ! ${safeText(path)}: ${safeText(why)}`)
  for (const text of notCovered) printer.note(`  ? ${text}`)
  if (messagesTaken !== undefined && messagesTaken > 0)
    printer.note(`  ${messagesTaken} of your messages ${messagesTaken === 1 ? 'leaves' : 'leave'} the conversation.`)
}
