import { visibleRanges, type ConversationCut, type KeptFile } from '../../../shared/model/session/checkpoint'
import type { EventBody } from '../../../shared/events/event'
import type { SessionHeader } from '../../../shared/model/session/session'
import { toolLabel } from '../../../shared/tool-label'
import { isWithin } from '../workspace/path/real-path'
import type { DMailCall } from '../loop/turn-context'
import type { RestoreOutlook } from '../tool/session-services'
import { planRestore } from './plan-restore'
import {
  executeRestore,
  conversationAt,
  historiesAfter,
  backUpPresent,
  type RestoreDeps,
  type RestoringSession,
} from './restore-session'
import { cutText } from '../../../shared/cut-text'

/** Maximum D-Mails per turn; more indicate a loop. */
const MAX_PER_TURN = 5
/** Maximum number of calls listed in the event. */
const MAX_CALLS = 30

export interface DMailSession extends RestoringSession {
  readonly header: SessionHeader
}

type Mail = Omit<DMailCall, 'kind'>

/** What sending a D-Mail would do, or why it cannot be sent. Changes nothing. */
export function lookBack(
  deps: RestoreDeps,
  session: DMailSession,
  mail: Mail,
): (RestoreOutlook & { to: number }) | { problem: string } {
  const target = targetOf(deps, session, mail)
  if ('problem' in target) return target
  const { to, steps } = target
  if (!mail.files) return { to, steps, restores: [], kept: [] }
  // Files in Trestle's home, such as the plan, are not part of the work.
  const histories = [...historiesAfter(deps, session.id, { to, endedOnly: true }).values()].filter(
    ({ path }) => !isWithin(path, deps.home),
  )
  const plan = planRestore(histories, { blobs: deps.blobs, maxBytes: deps.maxBytes(), mayOverwrite: () => false })
  return { to, steps, restores: plan.steps, kept: plan.kept }
}

/**
 * Sends a D-Mail: a normal restore, followed by the message and by everything that the user and background tasks have
 * sent since. Only the agent's own steps leave the conversation.
 */
export async function sendDMail(
  deps: RestoreDeps,
  session: DMailSession,
  mail: Mail,
): Promise<{ problem: string } | undefined> {
  const outlook = lookBack(deps, session, mail)
  if ('problem' in outlook) return outlook
  const { to, steps } = outlook
  const { checkpoint, message } = mail
  const messages = messagesSince(deps, session, to)
  const conversation = withPresentPlan(conversationAt(deps, session.id, to), session.header)
  const safe = backUpPresent(deps, session.id, { steps: outlook.restores, kept: outlook.kept })
  const turnId = session.header.turnId!
  await executeRestore(deps, session, {
    restoreId: deps.newId('restore'),
    to,
    steps: safe.steps,
    kept: safe.kept,
    conversation,
    dMail: { checkpoint, message, steps, calls: callsSince(deps, session, to) },
    after: [
      {
        type: 'turn.steered',
        turnId,
        by: 'd-mail',
        checkpoint,
        parts: [
          {
            type: 'text',
            text: dMailText(mail, { files: safe.steps.length, kept: safe.kept, runs: session.header.news.length > 0 }),
          },
        ],
      },
      ...messages,
    ],
  })
  return undefined
}

function targetOf(
  { store }: RestoreDeps,
  { id, header }: DMailSession,
  { checkpoint, message }: Mail,
): { to: number; steps: number } | { problem: string } {
  const started = store.ofTypes(id, ['turn.started']).findLast(({ turnId }) => turnId === header.turnId)
  if (!started) return { problem: 'No turn is running.' }
  const restores = store.ofTypes(id, ['checkpoint.restored'], started.seq)
  const sent = restores.flatMap(({ dMail }) => dMail ?? [])
  if (sent.some((one) => one.message === message))
    return {
      problem:
        'You have sent this very message before in this turn, and it did not help. ' +
        'Continue from here, or end with what you have.',
    }
  if (sent.length >= MAX_PER_TURN)
    return {
      problem:
        `${MAX_PER_TURN} D-Mails were sent in this turn; there can be no more. ` +
        'Continue from here, or end with what you have.',
    }
  const isVisible = visibleIn(header)
  const steps = store.ofTypes(id, ['step.started'], started.seq).filter(({ seq }) => isVisible(seq))
  // The checkpoint that an earlier D-Mail was sent to is still a valid target.
  const arrivals = restores.flatMap(({ seq, to, dMail }) =>
    dMail && isVisible(seq) ? [[dMail.checkpoint, to] as const] : [],
  )
  const targets = new Map([...arrivals, ...steps.map(({ checkpoint: number, seq }) => [number, seq - 1] as const)])
  const oldest = header.compacted?.seq ?? 0
  const to = targets.get(checkpoint)
  if (to !== undefined && to >= oldest) return { to, steps: steps.filter(({ seq }) => seq > to).length }
  const reachable = [...targets].flatMap(([number, seq]) => (number !== undefined && seq >= oldest ? [number] : []))
  if (reachable.length === 0) return { problem: `${whyNot()} There is no checkpoint to go back to now.` }
  return { problem: `${whyNot()} You can go back to ${rangesOf(reachable.toSorted((a, b) => a - b))}.` }

  function whyNot(): string {
    const name = `Checkpoint ${checkpoint}`
    if (to !== undefined) return `${name} was compacted: of what was there only the summary is left.`
    const known = store.ofTypes(id, ['step.started']).find((one) => one.checkpoint === checkpoint)
    if (!known) return `There is no checkpoint ${checkpoint}.`
    return known.seq > started!.seq
      ? `${name} was undone by an earlier D-Mail.`
      : `${name} is from an earlier turn: messages of the user since then cannot be undone.`
  }
}

/** Formats numbers as ranges, for example `1, 3 to 7`. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last?.[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`)).join(', ')
}

/** The agent's calls since, so that the user sees what left the conversation. */
function callsSince({ store }: RestoreDeps, { id, header }: DMailSession, to: number): string[] {
  const isVisible = visibleIn(header)
  return store
    .ofTypes(id, ['tool.started'], to)
    .filter(({ seq, name }) => isVisible(seq) && name !== 'SendDMail')
    .slice(0, MAX_CALLS)
    .map(({ name, summary }) => `${toolLabel(name)} ${cutText(summary.split('\n')[0]!, 160)}`.trim().toWellFormed())
}

function visibleIn({ cuts = [], seq: end }: SessionHeader): (seq: number) => boolean {
  const ranges = visibleRanges(cuts, end)
  return (seq) => ranges.some(({ from, to }) => seq >= from && seq <= to)
}

/** Messages of the user and of tasks since, to be sent again. */
function messagesSince({ store }: RestoreDeps, { id, header }: DMailSession, to: number): EventBody[] {
  const isVisible = visibleIn(header)
  return store
    .ofTypes(id, ['turn.steered'], to)
    .filter(({ by, seq }) => (by === 'user' || by === 'task') && isVisible(seq))
    .map(({ turnId, parts, by, news }): EventBody => ({
      type: 'turn.steered',
      turnId,
      parts,
      by,
      again: true,
      ...(news && { news }),
    }))
}

/**
 * A D-Mail neither ends plan mode nor loses a plan; the agent is notified of the mode again if the restored
 * conversation does not mention it.
 */
function withPresentPlan({ plan: then, ...cut }: ConversationCut, { plan }: SessionHeader): ConversationCut {
  return plan ? { ...cut, plan: { ...plan, told: then?.told ?? false } } : cut
}

function dMailText(
  { message, files }: Mail,
  { files: count, kept, runs }: { files: number; kept: readonly KeptFile[]; runs: boolean },
): string {
  const state = files
    ? [
        count === 0
          ? 'No file had to be put back.'
          : count === 1
            ? 'One file was put back as it was at this point.'
            : `${count} files were put back as they were at this point.`,
        ...(kept.length > 0
          ? [
              `Left as it is: ${kept
                .slice(0, 20)
                .map(({ path, why }) => `${path} (${why})`)
                .join(' ')}`,
            ]
          : []),
      ]
    : ['Files are as you left them then, not as they were at this point: read again what you need.']
  return [
    '<d-mail>',
    message,
    '</d-mail>',
    'This D-Mail is from yourself: you continued from this point and sent it back here. ' +
      'What you did in between is no longer in the conversation.',
    ...state,
    ...(runs ? ['What runs in the background still does; TaskList shows it.'] : []),
    'Continue with what it says. The user can see it and needs no account of it.',
  ].join('\n')
}
