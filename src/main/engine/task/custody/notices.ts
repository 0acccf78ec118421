import type { Orphan } from '../../../../shared/model/task'

/** The task host died with so many background tasks. */
export function deathNotice(lost: number): string {
  const what =
    lost === 1 ? ' One background task is lost; its output is kept.' : ` ${lost} background tasks are lost; their output is kept.`
  return `The task host has died.${lost === 0 ? '' : what} The next command starts a new one.`
}

/** Commands cannot run in the task host; `reason` is a sentence. */
export function unavailableNotice(reason: string): string {
  return `Commands run without the task host, so they cannot go to the background, and you cannot type into them. ${reason}`
}

/** A crashed run left these behind. */
export function orphanNotice(orphans: readonly Orphan[]): string {
  const tasks = new Set(orphans.map(({ taskId }) => taskId)).size
  const still = orphans.length === 1 ? 'One process' : `${orphans.length} processes`
  return `${still} of ${tasks === 1 ? 'a task' : `${tasks} tasks`} of an earlier run still ${orphans.length === 1 ? 'runs' : 'run'}. Look at Tasks to stop ${orphans.length === 1 ? 'it' : 'them'}.`
}
