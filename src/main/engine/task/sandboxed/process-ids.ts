import { readFileSync } from 'node:fs'

/**
 * The machine's number of a process that has the number `inner` in its own process list, below the process `top`. Undefined when it is not there. The newest processes are
 * looked at first: they are the ones that are asked about, and there may be many older ones.
 */
export function machinePid(top: number, inner: number): number | undefined {
  for (const child of childrenOf(top).toReversed()) {
    const found = innerPid(child) === inner ? child : machinePid(child, inner)
    if (found !== undefined) return found
  }
  return undefined
}

/** All processes below `top`, nearest first. */
export function descendants(top: number): number[] {
  const found = [top]
  for (let at = 0; at < found.length; at += 1) found.push(...childrenOf(found[at]!))
  return found.slice(1)
}

/** Numbers of the children of a process; none when it is gone. */
export function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .flatMap((text) => (text.trim() === '' ? [] : [Number(text)]))
}

/** Undefined when the process is gone. */
export function parentOf(pid: number): number | undefined {
  const number = /^PPid:\s*(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1]
  return number === undefined ? undefined : Number(number)
}

/** Whether a process has ended, noticed by its parent or not. The first of a process list ends after all others in it. */
export function isGone(pid: number): boolean {
  const state = /^State:\s*(\S)/m.exec(read(`/proc/${pid}/status`))?.[1]
  return state === undefined || state === 'Z' || state === 'X'
}

/** The number of a process in the innermost process list it is in. */
function innerPid(pid: number): number | undefined {
  const numbers = /^NSpid:\s*(.+)$/m.exec(read(`/proc/${pid}/status`))?.[1]?.split(/\s+/)
  return numbers && Number(numbers.at(-1))
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
