import { CodedError, type ErrorCode } from '../../../../shared/errors'
import type { HookRun } from './hook-trace'

interface FailedRun {
  args: readonly string[]
  stdout: Buffer
  stderr: string
  hooks: readonly HookRun[]
}

/** Git's messages (with LC_ALL=C.UTF-8) and their error codes. The first match wins. */
const MESSAGES: readonly [RegExp, ErrorCode][] = [
  [/detected dubious ownership|unsafe repository/, 'git.ownership'],
  [/not a git repository|this operation must be run in a work tree|cannot use bare repository/, 'git.no_repository'],
  [/Unable to create '.*\.lock'|Another git process seems to be running|cannot lock ref .*File exists/s, 'git.locked'],
  [
    /Please tell me who you are|empty ident name|unable to auto-detect email|no (?:name|email) was given and auto-detection is disabled/,
    'git.identity',
  ],
  [
    /would be overwritten by|Your local changes to the following files|cannot (?:pull with rebase|rebase|merge): (?:You have unstaged changes|Your index contains uncommitted changes)|contains? uncommitted changes|You have unstaged changes|please commit or stash them|already exists, no checkout|could not restore untracked files/i,
    'git.would_overwrite',
  ],
  [/is not fully merged/, 'git.not_merged'],
  [/checked out at|is already used by worktree|is already checked out/, 'git.in_use'],
  [/is not a valid branch name|is not a valid ref name|not a valid (?:tag )?name/, 'git.bad_name'],
  [/already exists/, 'git.exists'],
  [/has no upstream branch|no tracking information|no such ref was fetched|does not track/, 'git.no_upstream'],
  [/\[rejected\].*\((?:fetch first|non-fast-forward|stale info)\)/s, 'git.diverged'],
  [
    /Not possible to fast-forward|Need to specify how to reconcile divergent|refusing to merge unrelated/,
    'git.diverged',
  ],
  [/\[remote rejected\]|\[rejected\]|pre-receive hook declined/, 'git.rejected'],
  [
    /Authentication failed|could not read (?:Username|Password)|Permission denied \(|terminal prompts disabled|Host key verification failed|HTTP Basic: Access denied|The requested URL returned error: 40[13]/,
    'git.sign_in',
  ],
  [
    /Could not resolve host|Connection (?:refused|timed out|reset)|unable to access|does not appear to be a git repository|Could not read from remote repository|unable to connect|The remote end hung up/,
    'git.unreachable',
  ],
  [
    /^CONFLICT|needs merge|unmerged files|Resolve all conflicts|could not apply|you need to resolve your current index/m,
    'git.conflicts',
  ],
  [
    /You have not concluded your merge|a (?:rebase|merge|cherry-pick|revert) is (?:already )?in progress|rebase-(?:merge|apply) directory|cannot switch branch while/,
    'git.busy',
  ],
  [/patch (?:does not apply|failed)|corrupt patch|does not match index|No such path/, 'git.changed'],
  [
    /nothing to commit|nothing added to commit|no changes added to commit|No local changes to save|nothing to amend/,
    'git.nothing',
  ],
  [
    /did not match any file|unknown revision|bad revision|invalid reference|not a valid object|bad object|pathspec .* did not match|No stash entries|is not a valid reference|not found\.?$|No such remote|not a stash|invalid object name|not a commit/m,
    'git.not_found',
  ],
]

/** The error for a failed command. */
export function gitFailure({ args, stdout, stderr, hooks }: FailedRun): CodedError {
  const printed = `${stderr.trim()}\n${stdout.subarray(0, 8_192).toString('utf8').trim()}`.trim()
  // A failed hook is reported as the reason, even one that runs after the command's work, such as post-checkout.
  const failed = hooks.findLast(({ code }) => code !== 0)
  if (failed)
    return new CodedError(
      'git.hook',
      `The hook ${failed.name} failed:\n${shortened(printed) || 'It printed no output.'}`,
    )
  const code = MESSAGES.find(([pattern]) => pattern.test(printed))?.[1] ?? 'git.failed'
  return new CodedError(code, shortened(printed) || `git ${args[0] ?? ''} failed without a message.`)
}

const MAX_CHARS = 4_000
/** Replaces the lines that are left out. */
const ABOVE = '…\n'

/** Removes hints and progress, and keeps the end, which has the reason. */
function shortened(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1).trimEnd())
    .filter((line) => !/^(?:hint|advice):/.test(line))
  const whole = lines.join('\n').trim()
  if (whole.length <= MAX_CHARS) return whole.replace(/^(?:fatal|error): /, '')
  const start = whole.length - MAX_CHARS + ABOVE.length
  // Whole lines, unless the last one alone is too long.
  const line = whole.indexOf('\n', start) + 1
  return ABOVE + whole.slice(line === 0 ? start : line).toWellFormed()
}
