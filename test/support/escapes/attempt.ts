/**
 * One attempt to escape a sandbox. Its effects are checked from outside, in the same way for all attempts: see
 * run-attempts.ts.
 */
export interface EscapeAttempt {
  /** Description, completes "when it …". */
  name: string
  /**
   * Shell code that runs in the sandbox, in the project's folder, with these variables: PROJECT, OUTSIDE, OTHER
   * (another project), HOME, TRESTLE (TRESTLE_HOME), VICTIM (process outside), PORT (of 127.0.0.1 outside), SOCKET and
   * ABSTRACT (unix sockets outside).
   */
  command: string
  /** Default: both, or only `project` for attempts that need to write. */
  level?: 'read-only' | 'project'
  /** Default: `none`. */
  network?: 'none' | 'listed' | 'open'
  /**
   * `plain`: a project without a repository; `worktree`: a linked worktree of a repository outside. Default: a
   * repository.
   */
  kind?: 'repository' | 'plain' | 'worktree'
  /** Runs outside before the sandbox starts. */
  before?: string
  /** Runs outside after the command and before `next`. */
  between?: string
  /** Runs outside after it, like the user's later work in the project. */
  after?: string
  /**
   * Later commands of the same session, each in a new sandbox; with `isWarm` in the same one if it is still running.
   */
  next?: readonly string[]
  isWarm?: true
  /** It would harm the machine if the sandbox failed and it ran as root, so it only runs as an unprivileged user. */
  isHarmful?: true
  /** The command ends itself or its sandbox, so it cannot report completion. */
  endsItself?: true
}

/** A Python program with the common imports and helpers. */
export function python(program: string): string {
  return `/usr/bin/python3 - <<'PROGRAM'
import ctypes, os, sys, socket, struct, time, fcntl, signal
libc = ctypes.CDLL(None, use_errno=True)
env = os.environ
def attempt(what, name=''):
    try:
        print(name, what())
    except BaseException as error:
        print(name, type(error).__name__, error)
${program}
PROGRAM`
}
