/**
 * The closed list of expected failures. Each has a code `domain.reason`, a title for users, whether
 * trying again can help, and what to do. Anything that is not one of these is a bug: it is logged with its stack
 * and shown as `internal`.
 */

import { errorCode, errorText } from './error-text'
import { DEVICE_ERRORS, ENGINE_ERRORS, FEATURE_ERRORS, MOVE_ERRORS } from './error-catalog/feature-errors'
import { GIT_ERRORS, WORKTREE_ERRORS } from './error-catalog/git-errors'
import { PLACE_ERRORS } from './error-catalog/place-errors'
import { PAGE_ERRORS } from './error-catalog/page-errors'

interface ErrorKind {
  title: string
  /** Whether the same request can succeed later without any change. */
  retryable: boolean
  /** What the user can do about it; one sentence. */
  advice: string
}

export const ERRORS = {
  'model.connection': {
    title: 'The model could not be reached',
    retryable: true,
    advice: 'Check the network and the base URL of the provider in Settings.',
  },
  'model.timeout': {
    title: 'The model stopped responding',
    retryable: true,
    advice: 'Try again; raise [loop] idle_timeout_s if this model is slow.',
  },
  'model.rate_limited': { title: 'Rate limited', retryable: true, advice: 'Wait a moment and try again.' },
  'model.overloaded': {
    title: 'The model is overloaded',
    retryable: true,
    advice: 'Wait a moment and try again, or choose another model.',
  },
  'model.server': {
    title: 'The model server failed',
    retryable: true,
    advice: "Try again. If it keeps failing, check the provider's status page.",
  },
  'model.incomplete': {
    title: 'The response was cut off',
    retryable: true,
    advice: 'Try again. The partial response is kept but not used.',
  },
  'model.empty': {
    title: 'The model sent an empty response',
    retryable: true,
    advice: 'Try again, or choose another model. Earlier work is kept.',
  },
  'model.auth': { title: 'Invalid API key', retryable: false, advice: "Check this provider's API key in Settings." },
  'model.quota': {
    title: 'Quota exceeded',
    retryable: false,
    advice: 'Add credit to the account, or choose another model.',
  },
  'model.not_found': {
    title: "The provider doesn't have this model",
    retryable: false,
    advice: 'Check the model name in Settings.',
  },
  'model.bad_request': {
    title: 'The provider rejected the request',
    retryable: false,
    advice: 'See its message. The model may lack a capability that is enabled in Settings.',
  },
  'model.context_overflow': {
    title: 'The conversation is too long for this model',
    retryable: false,
    advice: 'Start a new session, or choose a model with a larger context window.',
  },
  'model.refused': { title: 'The provider withheld the answer', retryable: false, advice: 'Rephrase the request.' },
  'model.not_configured': {
    title: 'No model selected',
    retryable: false,
    advice: 'Choose a model in Settings, or try the demo model.',
  },
  'budget.reached': {
    title: 'Spending limit reached',
    retryable: false,
    advice: 'Raise the limit in Settings or under [budget] in config.toml, or continue in the app, which asks you.',
  },
  'hook.blocked': {
    title: 'Blocked by a hook',
    retryable: false,
    advice: 'Rephrase it, or check your hooks in Settings.',
  },
  'compaction.failed': {
    title: 'The conversation could not be compacted',
    retryable: false,
    advice: 'Nothing is lost: try again, choose another model, or start a new session.',
  },
  'compaction.no_help': {
    title: 'Compacting does not free enough space',
    retryable: false,
    advice: 'Choose a model with a larger context window, ask for smaller steps, or start a new session.',
  },
  'compaction.not_needed': {
    title: 'There is nothing to compact',
    retryable: false,
    advice: 'Continue. Compacting helps once the conversation is longer.',
  },
  'compaction.gone': {
    title: 'This compaction cannot be undone',
    retryable: false,
    advice: 'Undo the latest one first.',
  },
  'config.invalid': {
    title: 'The configuration has an error',
    retryable: false,
    advice: 'Fix the file at that line. Until then, defaults apply.',
  },
  'config.write_failed': {
    title: 'The configuration could not be saved',
    retryable: false,
    advice: 'Check that the file is writable and has no syntax errors.',
  },
  'config.changed': {
    title: 'The file has changed since it was shown',
    retryable: false,
    advice: 'Review it again, then decide.',
  },
  'session.not_found': {
    title: 'Session not found',
    retryable: false,
    advice: 'List the sessions and choose one of them.',
  },
  'session.elsewhere': {
    title: 'This session is open in another Trestle',
    retryable: false,
    advice: 'Use it there, or close that one first.',
  },
  'session.busy': {
    title: 'This session is working',
    retryable: false,
    advice: 'Wait for the turn to end, or stop it.',
  },
  'session.folder_missing': {
    title: "The session's folder is missing",
    retryable: false,
    advice: 'Restore the folder, or start a session in another one.',
  },
  'folder.missing': {
    title: 'Folder not found',
    retryable: false,
    advice: 'Check the path, or choose another folder.',
  },
  'folder.unreadable': {
    title: 'The folder cannot be read',
    retryable: false,
    advice: 'Check its permissions, or choose another folder.',
  },
  'store.unreadable': {
    title: 'The session store cannot be used',
    retryable: false,
    advice: 'Restore a backup from the backups folder; the damaged file was kept.',
  },
  'store.too_new': {
    title: 'The session store was written by a newer Trestle',
    retryable: false,
    advice: 'Update Trestle, or use another TRESTLE_HOME.',
  },
  'store.full': {
    title: 'The disk is full',
    retryable: false,
    advice:
      'Free some space, or raise the limit if the message names one, and try again; nothing recorded so far is lost.',
  },
  'store.busy': {
    title: 'The session store is locked',
    retryable: true,
    advice: 'Try again in a moment; if it happens again, close other programs that use the store.',
  },
  'home.unusable': {
    title: "Trestle's folder cannot be used",
    retryable: false,
    advice: 'Make it writable, or set TRESTLE_HOME to a folder that is.',
  },
  'host.port': {
    title: 'The web host cannot start',
    retryable: false,
    advice: 'Choose another port with --port, or leave it out for a free one.',
  },
  'request.invalid': { title: 'The request is not valid', retryable: false, advice: 'Check the fields listed.' },
  'request.cancelled': {
    title: 'The request was cancelled',
    retryable: false,
    advice: 'Send it again if you still need it. Part of it may have completed.',
  },
  ...DEVICE_ERRORS,
  ...ENGINE_ERRORS,
  ...FEATURE_ERRORS,
  ...GIT_ERRORS,
  ...PLACE_ERRORS,
  ...MOVE_ERRORS,
  ...WORKTREE_ERRORS,
  'checkpoint.lost': {
    title: 'A checkpoint cannot be read',
    retryable: false,
    advice: 'Restore to a later point, or recover the file from elsewhere. Nothing was changed.',
  },
  'checkpoint.changed': {
    title: 'The file has changed in the meantime',
    retryable: false,
    advice: 'Review the current version, then decide again.',
  },
  'approval.gone': { title: 'This approval was already answered', retryable: false, advice: 'No action needed.' },
  'plan.not_found': { title: 'Plan not found', retryable: false, advice: 'Choose a revision that is listed.' },
  'task.not_found': {
    title: 'Task not found',
    retryable: false,
    advice: 'List the tasks and choose one of them.',
  },
  'terminal.not_found': {
    title: 'This terminal no longer exists',
    retryable: false,
    advice: 'Open a new terminal.',
  },
  'task.ended': { title: 'This task has ended', retryable: false, advice: 'Start it again if it is still needed.' },
  'task.host_unavailable': {
    title: 'The task host cannot be reached',
    retryable: true,
    advice: 'Try again in a moment; Trestle starts a new one if the old one has stopped.',
  },
  'mcp.not_found': {
    title: 'MCP server not found',
    retryable: false,
    advice: 'List the servers and choose one of them.',
  },
  'mcp.not_accepted': {
    title: 'This MCP server has not been accepted',
    retryable: false,
    advice: 'Review what it runs or connects to, then accept it.',
  },
  'mcp.disabled': {
    title: 'This MCP server is disabled',
    retryable: false,
    advice: 'Enable it in Settings, MCP servers.',
  },
  'mcp.start': {
    title: 'The MCP server could not be started',
    retryable: true,
    advice: 'Check its log and its definition in Settings, MCP servers.',
  },
  'mcp.connection': {
    title: 'The MCP server cannot be reached',
    retryable: true,
    advice: 'Check its log and its address in Settings, MCP servers.',
  },
  'mcp.timeout': {
    title: 'The MCP server did not answer in time',
    retryable: true,
    advice: 'Try again, or raise its call timeout in Settings, MCP servers.',
  },
  'mcp.answer': {
    title: 'The MCP server answered with an error',
    retryable: false,
    advice: 'Read its message, then change the request.',
  },
  'mcp.not_attached': {
    title: 'The message cannot be sent',
    retryable: false,
    advice: 'Fix the problem, then send it again. Nothing was sent.',
  },
  'mcp.sign_in': {
    title: 'This server requires sign-in',
    retryable: false,
    advice: 'Sign in under MCP servers in Settings, or with: trestle mcp login NAME.',
  },
  'mcp.sign_in_failed': {
    title: 'Sign-in failed',
    retryable: true,
    advice: "Try again, or check this server's configuration.",
  },
  'mcp.scope_refused': {
    title: 'The sign-in does not allow this',
    retryable: false,
    advice: 'Ask the administrator of the server, or sign out and sign in with another account.',
  },
  'trust.changed': {
    title: "This project's settings have changed",
    retryable: false,
    advice: 'Review the changes, then decide again.',
  },
  'trust.not_user': {
    title: 'Only you can trust a project',
    retryable: false,
    advice: 'Open the project in the app you started yourself, and decide there.',
  },
  ...PAGE_ERRORS,
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof ERRORS

/** An expected failure as data, for the wire and the log. */
export interface Failure {
  code: ErrorCode
  title: string
  /** The specific reason, such as the provider's own message. */
  message: string
  advice: string
  retryable: boolean
}

/** An expected failure as an exception. Every host shows its `failure`. */
export class CodedError extends Error {
  readonly code: ErrorCode
  /** How long the other side asked us to wait, in ms. */
  readonly retryAfterMs: number | undefined

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, { cause: options.cause })
    this.name = 'CodedError'
    this.code = code
    this.retryAfterMs = options.retryAfterMs
  }

  get failure(): Failure {
    const kind = ERRORS[this.code]
    return { code: this.code, title: kind.title, message: this.message, advice: kind.advice, retryable: kind.retryable }
  }
}

/** The failure for an exception; a bug becomes `internal` with its message. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CodedError) return error.failure
  const message = errorText(error)
  return new CodedError(codeOf(error), message).failure
}

/** The code for what the system or the database reports: a full disk, an exceeded quota or a lock. */
function codeOf(error: unknown): ErrorCode {
  const code = errorCode(error) ?? ''
  if (['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(code)) return 'store.full'
  return code.startsWith('SQLITE_BUSY') ? 'store.busy' : 'internal'
}

/** Codes whose messages always say what their titles say, only more precisely. */
const PRECISE: ReadonlySet<ErrorCode> = new Set([
  'model.connection',
  'mcp.disabled',
  'mcp.not_accepted',
  'task.ended',
  'trust.changed',
  'customize.changed',
  'plugin.changed',
  'device.limit',
  'git.missing',
  'git.no_repository',
  'worktree.no_commit',
  'worktree.dirty',
])

/** Beginnings of messages that need no title: "There is no session x.", "Only you can trust a project, but …". */
const COMPLETE = /^(?:There (?:is|are|already)|Only you can)\b/

/** What went wrong, in one sentence: the title and the message, or only the message where it says both. */
export function failureText({ code, title, message }: Pick<Failure, 'code' | 'title' | 'message'>): string {
  if (message === '' || message === title) return title
  // A full disk is always named: a message about one file could be taken for a problem of that file.
  const isComplete = PRECISE.has(code) || (COMPLETE.test(message) && code !== 'store.full')
  return isComplete ? message : `${title}: ${message}`
}
