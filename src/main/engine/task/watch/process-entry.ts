/** One process as it was when it was looked at. */
export interface ProcessEntry {
  pid: number
  parent: number
  /** Process group and session. */
  group: number
  session: number
  /** The foreground process group of its terminal; -1 without one. */
  foreground: number
  /** When it began, in a unit of the system's own. With `pid` it tells a process from a later one of the same number. */
  started: number
  /** Changes when it becomes another program; 0 where the system does not tell. */
  program: number
  /** The letter of ps: R runs, S sleeps, D waits for a disk, T is stopped, Z has ended. */
  state: string
  /** Processor time used so far. */
  cpuMs: number
  /** Resident memory; pages shared with others count in each. */
  memoryBytes: number
  /** Name of its program. */
  name: string
  /** Where the list of processes has it; see `commandOf`. */
  command?: string
  /** Where the list of processes has it: `NAME=value` pairs. */
  environment?: string
}
