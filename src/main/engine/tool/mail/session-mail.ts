import { failureOf } from '../../../../shared/errors'
import type { MailAccount } from '../../../../shared/model/assistant/mail'
import type { Mail } from '../../mail/mail'
import { FileProblem } from '../../workspace/path/file-problem'
import type { ResolvedPath, Workspace } from '../../workspace/workspace'
import { failed, ok, type ToolResult } from '../tool'

/** Results of assistant tools are short. */
export const MAX_RESULT_CHARS = 8_000

/** How a session's tools access the user's mail. */
export interface SessionMail {
  /** Loaded on first use. */
  mail(): Promise<Mail>
  accounts(): readonly MailAccount[]
  /** Absent when the tools are only described. */
  workspace?: Workspace
}

/** A file attached to a message. */
export interface Attached {
  path: ResolvedPath
  shown: string
}

/** Runs `work` and returns its text; a refusal becomes a message that the model can act on. */
export async function attempt(work: () => Promise<string>): Promise<ToolResult> {
  try {
    return ok(await work())
  } catch (error) {
    if (error instanceof FileProblem) return failed(error.message)
    return failed(failureOf(error).message)
  }
}
