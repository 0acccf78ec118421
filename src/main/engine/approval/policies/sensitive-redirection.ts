import type { Policy } from '../policy'

/** A redirection from or to a sensitive file is refused, as Read and Write refuse it. */
export const sensitiveRedirection: Policy = ({ part }) => {
  const path = part?.kind === 'redirection' ? part.paths.find(({ sensitive }) => sensitive !== undefined) : undefined
  return path && { decision: 'deny', reason: `${path.path} is sensitive (${path.sensitive}).` }
}
