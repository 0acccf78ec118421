import { CUSTODY_MARK, readCustodyMark, TASK_MARK, type Custody } from '../custody-mark'

/** What a process says of itself in its environment, and hands on to whatever it starts. */
export interface Mark {
  taskId: string
  custody?: Custody
}

/** The mark in an environment as the system keeps it: `NAME=value`, each ended by NUL. */
export function markIn(environment: Buffer): Mark | undefined {
  return markOf((name) => {
    const wanted = `${name}=`
    for (let at = environment.indexOf(wanted, 0, 'latin1'); at >= 0; at = environment.indexOf(wanted, at + 1, 'latin1')) {
      if (at > 0 && environment[at - 1] !== 0) continue
      const end = environment.indexOf(0, at)
      return environment.toString('utf8', at + wanted.length, end < 0 ? environment.length : end)
    }
    return undefined
  })
}

/** The mark in an environment as `ps` prints it: `NAME=value`, with blanks between. */
export function markInListing(environment: string): Mark | undefined {
  return markOf((name) => new RegExp(`(?:^| )${name}=(\\S*)`).exec(environment)?.[1])
}

function markOf(valueOf: (name: string) => string | undefined): Mark | undefined {
  const taskId = valueOf(TASK_MARK)
  if (taskId === undefined || taskId === '') return undefined
  const custody = readCustodyMark(valueOf(CUSTODY_MARK) ?? '')
  return { taskId, ...(custody && { custody }) }
}
