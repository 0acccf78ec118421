import { readdirSync, readFileSync } from 'node:fs'

/** Running processes with this task's tag in their environment, found without the program's own code. */
export function markedPids(taskIds: readonly string[]): number[] {
  const wanted = new Set(taskIds.map((taskId) => `TRESTLE_TASK=${taskId}`))
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter(
      (pid) =>
        isAlive(Number(pid)) &&
        read(`/proc/${pid}/environ`)
          .split('\0')
          .some((entry) => wanted.has(entry)),
    )
    .map(Number)
}

/** A process that has ended but was not yet reaped by its parent is dead. */
export function isAlive(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`)
  return stat !== '' && !/\) [ZX] /.test(stat)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
