import type { Policy } from '../policy'
import type { CommandPart } from '../shell/command-part'

/** Whatever no other policy has an opinion on is asked. */
export const askByDefault: Policy = ({ tool, part, mode }) => ({
  decision: 'ask',
  reason:
    (part?.problem !== undefined ? `${part.words[0]?.text ?? 'It'} would show more than ordinary files: ${part.problem}.` : undefined) ??
    (part && notKnown(part)) ??
    `${part?.kind === 'redirection' ? 'Writing a file' : (part?.words[0]?.text ?? tool.name)} can change things, and the mode is ${mode === 'ask' ? 'Ask first' : 'Accept edits'}.`,
})

/** Why it is not known which files a command is about. */
function notKnown({ paths, effects }: CommandPart): string | undefined {
  const tree = paths.find((path) => path.tree?.problem !== undefined)
  if (tree) return `What it reads in ${tree.path} is not known: ${tree.tree?.problem}.`
  const [reason] = effects.unknown
  return reason === undefined ? undefined : `Not all that it does is known: ${reason}.`
}
