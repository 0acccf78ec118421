import { Skeleton } from '../ui/loading'
import { onDemand } from '../ui/on-demand'

/** All changes of a session, a turn or a branch. */
export const ReviewPane = onDemand(
  () => import('../features/review/review-pane').then((module) => module.ReviewPane),
  () => <Skeleton className="m-4 h-6 w-1/2" />,
)
