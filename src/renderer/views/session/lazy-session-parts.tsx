import { onDemand } from '../../ui/on-demand'
import { Skeleton } from '../../ui/loading'

/**
 * Parts of a session that its first paint does not need: each is loaded when needed, or once the session is on screen.
 */

/** The live terminal of a task. */
export const TaskTerminal = onDemand(
  () => import('../../features/terminal/task-terminal').then((module) => module.TaskTerminal),
  ({ size }) => <Skeleton className={size === 'page' ? 'h-full w-full' : 'h-24 w-full'} />,
)

/** A pending request on the matching card. */
export const AnswerCard = onDemand(
  () => import('./answer-card').then((module) => module.AnswerCard),
  () => <Skeleton className="h-40 w-full rounded-lg" />,
)

/** Every tool of a session with its token cost. */
export const ToolsDialog = onDemand(() =>
  import('../../features/session/tools-dialog').then((module) => module.ToolsDialog),
)

/** Edits a message and sends it again. */
export const ResendDialog = onDemand(() =>
  import('../../features/session/resend-dialog').then((module) => module.ResendDialog),
)

/** Asks how to restore to before a message. */
export const RestoreDialog = onDemand(() =>
  import('../../features/session/restore-dialog').then((module) => module.RestoreDialog),
)

/** All changes of a session, a turn or a branch: in a pane, or in the inspector. */
export const ReviewPane = onDemand(
  () => import('../../features/review/review-pane').then((module) => module.ReviewPane),
  () => <Skeleton className="m-4 h-6 w-1/2" />,
)

/** Says where a moved session continues. */
export const SealedBanner = onDemand(() =>
  import('../../features/session/sealed-banner').then((module) => module.SealedBanner),
)

/** Checks the history of a session against its hashes. */
export const VerifyDialog = onDemand(() =>
  import('../../features/session/verify-dialog').then((module) => module.VerifyDialog),
)

/** Moves a session to a place, or to this machine. */
export const MoveDialog = onDemand(() =>
  import('../../features/places/move-dialog').then((module) => module.MoveDialog),
)

/** A session event by event. */
export const ReplayDialog = onDemand(() =>
  import('../../features/session/replay-dialog').then((module) => module.ReplayDialog),
)
