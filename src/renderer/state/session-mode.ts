import type { TrestleClient } from '../../shared/contract'
import { SESSION_MODES, type SessionMode } from '../../shared/model/approval'
import type { SessionHeader } from '../../shared/model/session'
import { tellFailure } from './toasts-state'

/** The mode a session is in, as it is shown: plan mode wins over the permission mode beside it. */
export function modeOf({ mode, plan }: Pick<SessionHeader, 'mode' | 'plan'>): SessionMode {
  return plan?.active ? 'plan' : mode
}

export function modeAfter(mode: SessionMode): SessionMode {
  return SESSION_MODES[(SESSION_MODES.indexOf(mode) + 1) % SESSION_MODES.length] ?? 'ask'
}

/** Switches a session's mode; a failure is told in a toast. */
export function changeMode(client: TrestleClient, header: Pick<SessionHeader, 'sessionId' | 'mode' | 'plan'>, to: SessionMode): void {
  change(client, header, to).catch(tellFailure)
}

async function change(
  client: TrestleClient,
  { sessionId, mode, plan }: Pick<SessionHeader, 'sessionId' | 'mode' | 'plan'>,
  to: SessionMode,
): Promise<void> {
  if (to === 'plan') return void (await client.plan.enter({ sessionId }))
  // In this order, so that what plan mode has held back never meets a laxer mode than the one chosen.
  if (to !== mode) await client.session.change({ sessionId, mode: to })
  if (plan?.active) await client.plan.leave({ sessionId })
}
