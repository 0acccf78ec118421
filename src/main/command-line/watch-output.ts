/** Whether everything that was printed has been written. */
export interface WatchedOutput {
  /** Why some of it was not; undefined when all was, or when nobody reads it any more. */
  problem(): string | undefined
}

/**
 * Notices when what is printed cannot be written: on a full disk a program must not end as if all had gone well. A reader that is gone (`| head`) is no failure;
 * a program that does not listen for that itself ends then.
 */
export function watchOutput(stdout: NodeJS.WriteStream, exit: (code: number) => never): WatchedOutput {
  let problem: string | undefined
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      if (stdout.listenerCount('error') === 1) exit(1)
      return
    }
    // What follows the first failure is refused because of it.
    problem ??= error.code === 'ENOSPC' ? 'there is no space left where it goes (ENOSPC)' : error.message
  })
  return { problem: () => problem }
}
