import type { PermissionMode, SessionMode } from '../../shared/model/approval'

/** What each permission mode is called and what it means, wherever one can be chosen. */
export const MODE_WORDS: Record<PermissionMode, { name: string; meaning: string }> = {
  ask: { name: 'Ask first', meaning: 'Reading is free. Every edit and every command asks you.' },
  'accept-edits': { name: 'Accept edits', meaning: 'Edits inside the project folder go through. Commands and everything outside ask you.' },
  auto: { name: 'Auto', meaning: 'Nothing asks, except what a policy insists on. For folders and machines you can afford to lose.' },
}

/** With plan mode, which stands beside them. */
export const SESSION_MODE_WORDS: Record<SessionMode, { name: string; meaning: string }> = {
  ...MODE_WORDS,
  plan: { name: 'Plan', meaning: 'Nothing but the plan can change until you approve it, whatever rules and modes allow.' },
}
