import type { Policy } from '../policy'
import { namingRule } from '../rules/applying-rules'

/**
 * A command that visibly opens or changes a file with secrets asks in every mode, folders that it goes through included; a rule covers that only when it
 * names the file. Looking whether it is there, or how large it is, shows no secret.
 */
export const sensitiveReads: Policy = (judged) => {
  const { part } = judged
  if (part?.kind !== 'run') return undefined
  const secret = part.paths.find((path) => path.sensitive !== undefined && !path.names && !namingRule(judged, path))
  return secret && { decision: 'ask', reason: `It uses ${secret.path}, which may hold secrets (${secret.sensitive}).`, everyTime: true }
}
