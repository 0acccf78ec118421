/**
 * One attempt to escape a sandbox. Its effects are checked from outside, equally for all attempts: see run-attempts.ts.
 */
export interface EscapeAttempt {
  /** Description, completes "when it …". */
  name: string
  /**
   * Shell text, run in the sandbox in the project's folder. It finds these variables: PROJECT, OUTSIDE, OTHER (another
   * project), HOME, TRESTLE (TRESTLE_HOME), VICTIM (process outside), PORT (of 127.0.0.1 outside), SOCKET and ABSTRACT
   * (unix sockets outside).
   */
  command: string
  /** Default: both that apply, `project` alone for what needs to write. */
  level?: 'read-only' | 'project'
  /** Default: `none`. */
  network?: 'none' | 'listed' | 'open'
  /**
   * `plain`: a project without a repository; `worktree`: a linked worktree of a repository outside. Default: a
   * repository.
   */
  kind?: 'repository' | 'plain' | 'worktree'
  /** Run outside before the sandbox starts. */
  before?: string
  /** Run outside after the command and before `next`. */
  between?: string
  /** Run outside after it, like the user's later work in the project. */
  after?: string
  /**
   * Commands of the same session after it, each in a new sandbox; with `isWarm` in the same one if it is still alive.
   */
  next?: readonly string[]
  isWarm?: true
  /** Would harm the machine if the sandbox let it through and it ran as root: only tried as an unprivileged user. */
  isHarmful?: true
  /** The command ends itself or its sandbox, so it cannot report completion. */
  endsItself?: true
}

/** A program of Python with what most of these need. */
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
