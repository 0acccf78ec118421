import { closeSync, constants, openSync, readFileSync, readlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { errorText } from '../../../../shared/error-text'
import { parseMountinfo } from '../mounts/mount-template'
import { entriesOf, removeQuietly } from '../safe-fs'

/**
 * File descriptors for bubblewrap's report about its process, and for the pipe it waits on once its mounts are made.
 */
export const REPORT_FD = 13
export const RELEASE_FD = 14
/** The bubblewrap arguments that `MountCheck` needs. */
export const CHECK_ARGUMENTS: readonly string[] = ['--info-fd', String(REPORT_FD), '--block-fd', String(RELEASE_FD)]
/** Shell code that opens both; runs where the sandbox is started. `$2` is the folder of the sandbox. */
export const OPEN_CHECK = `mkfifo -m 600 "$2/release" && exec ${REPORT_FD}>"$2/report" ${RELEASE_FD}<>"$2/release"`

const FIRST_WAIT_MS = 2
const LONGEST_WAIT_MS = 8

/**
 * Blocks a program until the mounts of its sandbox have been verified. bubblewrap reports its process and waits on a
 * pipe before it starts anything inside, so nothing from the program's own definition, such as a library to preload, is
 * loaded yet. If the check fails, the process is killed there.
 */
export class MountCheck {
  /** Resolves when the program may run or was refused, and when the check is given up. */
  readonly done: Promise<void>
  readonly #finish: () => void
  #problem: string | undefined
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  /** `folder` is removed when it is no longer needed. `problemOf` checks the mounts; it reads them with `mountinfo`. */
  constructor(folder: string, problemOf: (mountinfo: () => string) => string | undefined) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.done = promise
    this.#finish = resolve
    const look = (waitMs: number): void => {
      this.#timer = setTimeout(() => {
        if (this.#isOver) return
        if (this.#check(folder, problemOf)) return this.#finish()
        look(Math.min(waitMs * 2, LONGEST_WAIT_MS))
      }, waitMs)
    }
    look(FIRST_WAIT_MS)
  }

  /** Why the program was not run, as a sentence. */
  get problem(): string | undefined {
    return this.#problem
  }

  close(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#finish()
  }

  /** Whether the check is complete. */
  #check(folder: string, problemOf: (mountinfo: () => string) => string | undefined): boolean {
    const pid = sandboxProcess(textOf(join(folder, 'report')))
    if (pid === undefined) return false
    const mountinfo = (): string => textOf(`/proc/${pid}/mountinfo`)
    if (!isComplete(mountinfo(), textOf('/proc/self/mountinfo'))) return false
    try {
      this.#problem = problemOf(mountinfo)
      if (this.#problem === undefined) release(join(folder, 'release'))
    } catch (error) {
      this.#problem = `Its sandbox could not be checked: ${errorText(error)}.`
    }
    if (this.#problem !== undefined) kill(pid)
    removeQuietly(folder)
    return true
  }
}

/** The machine's pid of the process that bubblewrap reported; undefined while there is no report. */
function sandboxProcess(report: string): number | undefined {
  const pid = Number(/"child-pid": (\d+)/.exec(report)?.[1])
  const mounts = /"mnt-namespace": (\d+)/.exec(report)?.[1]
  if (!report.includes('}') || mounts === undefined) return undefined
  const isIt = (each: number | string): boolean => mountsOf(each) === `mnt:[${mounts}]`
  if (isIt(pid)) return pid
  // In its own pid namespace it reported a different pid.
  const found = entriesOf('/proc').find(({ name }) => /^\d+$/.test(name) && isIt(name))
  return found && Number(found.name)
}

/**
 * While bubblewrap is mounting, the old root and the new one are visible as two folders, and at the end for a moment as
 * two mounts at `/`. Both texts are in the format of /proc/self/mountinfo; `outside` is that of this process.
 */
export function isComplete(mountinfo: string, outside: string): boolean {
  const mounts = parseMountinfo(mountinfo)
  const [root, ...others] = mounts.filter(({ point }) => point === '/')
  const own = parseMountinfo(outside).findLast(({ point }) => point === '/')
  return (
    root !== undefined &&
    others.length === 0 &&
    (root.device !== own?.device || root.root !== own.root) &&
    !mounts.some(({ point }) => point === '/newroot' || point === '/oldroot')
  )
}

function release(path: string): void {
  const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  try {
    writeSync(fd, '.')
  } finally {
    closeSync(fd)
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already exited.
  }
}

/** Undefined when the process has exited or belongs to another user. */
function mountsOf(pid: number | string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`)
  } catch {
    return undefined
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
