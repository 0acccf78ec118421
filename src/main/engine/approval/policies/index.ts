import type { Policy } from '../policy'
import { acceptEdits } from './accept-edits'
import { askByDefault } from './ask-by-default'
import { autoMode } from './auto-mode'
import { outsideWorkspace } from './outside-workspace'
import { readOnlyTools } from './read-only-tools'
import { rememberedForSession } from './remembered-for-session'
import { trestleHome } from './trestle-home'

/** The order is the precedence: the first policy with an opinion decides, the last one always has one. */
export const POLICIES: readonly Policy[] = [
  trestleHome,
  rememberedForSession,
  outsideWorkspace,
  readOnlyTools,
  acceptEdits,
  autoMode,
  askByDefault,
]
