import type { Policy } from '../policy'

/** The user allowed exactly this, or a folder it lies in, for the session. */
export const rememberedForSession: Policy = ({ call, isRemembered }) => {
  const { rememberAs } = call
  if (!rememberAs) return undefined
  const keys = [rememberAs.key, ...(rememberAs.coveredBy ?? [])]
  return keys.some(isRemembered) ? { decision: 'allow', reason: 'You allowed this for the session.' } : undefined
}
