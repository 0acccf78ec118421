import { visibleRanges, type ConversationCut, type KeptFile } from '../../../shared/model/checkpoint'
import type { EventBody } from '../../../shared/events/event'
import type { SessionHeader } from '../../../shared/model/session'
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

/** In one turn; more of them are a loop, whatever they say. */
const MAX_PER_TURN = 5
/** Calls that are named. */
const MAX_CALLS = 30

export interface DMailSession extends RestoringSession {
  readonly header: SessionHeader
}

type Mail = Omit<DMailCall, 'kind'>

/** What sending it would do, or why it cannot be sent. Changes nothing. */
export function lookBack(
  deps: RestoreDeps,
  session: DMailSession,
  mail: Mail,
): (RestoreOutlook & { to: number }) | { problem: string } {
  const place = placeOf(deps, session, mail)
  if ('problem' in place) return place
  const { to, steps } = place
  if (!mail.files) return { to, steps, restores: [], kept: [] }
  // The plan's file and the like are no part of the work.
  const histories = [...historiesAfter(deps, session.id, { to, endedOnly: true }).values()].filter(
    ({ path }) => !isWithin(path, deps.home),
  )
  const plan = planRestore(histories, { blobs: deps.blobs, maxBytes: deps.maxBytes(), mayOverwrite: () => false })
  return { to, steps, restores: plan.steps, kept: plan.kept }
}

/**
 * Carries it out: a restore like any other, with the message right after it, and after that whatever the user and background tasks have said since: only
 * the agent's own steps are forgotten.
 */
export async function sendDMail(
  deps: RestoreDeps,
  session: DMailSession,
  mail: Mail,
): Promise<{ problem: string } | undefined> {
  const way = lookBack(deps, session, mail)
  if ('problem' in way) return way
  const { to, steps } = way
  const { checkpoint, message } = mail
  const said = messagesSince(deps, session, to)
  const conversation = withPresentPlan(conversationAt(deps, session.id, to), session.header)
  const safe = backUpPresent(deps, session.id, { steps: way.restores, kept: way.kept })
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
      ...said,
    ],
  })
  return undefined
}

function placeOf(
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
        'You have sent this very message before in this turn, and it did not help. Go on from here, or end with what you have.',
    }
  if (sent.length >= MAX_PER_TURN)
    return {
      problem: `${MAX_PER_TURN} D-Mails were sent in this turn; there can be no more. Go on from here, or end with what you have.`,
    }
  const isVisible = visibleIn(header)
  const steps = store.ofTypes(id, ['step.started'], started.seq).filter(({ seq }) => isVisible(seq))
  // Where a D-Mail has arrived, the one before the steps that it took back is still a place to go back to.
  const arrivals = restores.flatMap(({ seq, to, dMail }) =>
    dMail && isVisible(seq) ? [[dMail.checkpoint, to] as const] : [],
  )
  const places = new Map([...arrivals, ...steps.map(({ checkpoint: number, seq }) => [number, seq - 1] as const)])
  const oldest = header.compacted?.seq ?? 0
  const to = places.get(checkpoint)
  if (to !== undefined && to >= oldest) return { to, steps: steps.filter(({ seq }) => seq > to).length }
  const reachable = [...places].flatMap(([number, place]) => (number !== undefined && place >= oldest ? [number] : []))
  return { problem: `${whyNot()} You can go back to ${rangesOf(reachable.toSorted((a, b) => a - b))}.` }

  function whyNot(): string {
    const name = `Checkpoint ${checkpoint}`
    if (to !== undefined) return `${name} was compacted: of what was there only the summary is left.`
    const known = store.ofTypes(id, ['step.started']).find((one) => one.checkpoint === checkpoint)
    if (!known) return `There is no checkpoint ${checkpoint}.`
    return known.seq > started!.seq
      ? `${name} was taken back itself.`
      : `${name} is of an earlier turn: what the person has said since cannot be taken back.`
  }
}

/** `1, 3 to 7`. */
function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last?.[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`)).join(', ')
}

/** What the agent did since, so that a person sees what left the conversation. */
function callsSince({ store }: RestoreDeps, { id, header }: DMailSession, to: number): string[] {
  const isVisible = visibleIn(header)
  return store
    .ofTypes(id, ['tool.started'], to)
    .filter(({ seq, name }) => isVisible(seq) && name !== 'SendDMail')
    .slice(0, MAX_CALLS)
    .map(({ name, summary }) => `${toolLabel(name)} ${summary.split('\n')[0]!.slice(0, 160)}`.trim().toWellFormed())
}

function visibleIn({ cuts = [], seq: end }: SessionHeader): (seq: number) => boolean {
  const stretches = visibleRanges(cuts, end)
  return (seq) => stretches.some(({ from, to }) => seq >= from && seq <= to)
}

/** What others have told the agent since, to be told again. */
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

/** No going back of the agent's own ends plan mode, or loses a plan; it is told of the mode again where it would not know. */
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
    'This D-Mail is from yourself: you had gone on from this point and sent it back here. What you did in between is not in the conversation any more.',
    ...state,
    ...(runs ? ['What runs in the background still does; TaskList shows it.'] : []),
    'Go on with what it says. The person can see it and needs no account of it.',
  ].join('\n')
}
