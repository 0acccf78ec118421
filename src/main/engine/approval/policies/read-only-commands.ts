import type { Policy } from '../policy'

/** Parts of commands that are known to only read, or do nothing but start parts that are judged by themselves, need no approval. */
export const readOnlyCommands: Policy = ({ part }) => {
  if (!part) return undefined
  if (part.kind === 'redirection') {
    return part.paths.length > 0 && part.paths.every((path) => !path.write && path.sensitive === undefined)
      ? { decision: 'allow', reason: 'It only reads.' }
      : undefined
  }
  if (part.neutral && !part.steered) return { decision: 'allow', reason: 'What it starts is judged by itself.' }
  if (!part.readOnly) return undefined
  const secret = part.paths.find((path) => path.sensitive !== undefined && !path.names)
  if (secret) return undefined
  return { decision: 'allow', reason: `${part.words[0]?.text ?? 'It'} only reads.` }
}
