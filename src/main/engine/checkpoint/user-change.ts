import type { FileChange } from '../../../shared/model/session/checkpoint'
import { FileProblem } from '../workspace/path/file-problem'
import { changeList } from './capture/call-checkpoints'
import { addRefs } from './capture/checkpoint-files'
import { captureFile, sameState } from './capture/file-state'
import type { RestoreDeps, RestoringSession } from './restore-session'

/**
 * Runs `work`, a change to files by the user, and records it, so that it can be undone like a change of the agent, even
 * if `work` fails halfway. Nothing is changed when a file's content cannot be kept. `seq`: that of the recording event.
 */
export type KeepUserChange = <Result>(
  sessionId: string,
  paths: readonly string[],
  work: () => Promise<Result>,
) => Promise<{ seq: number; result: Result }>

export async function keepUserChange<Result>(
  deps: RestoreDeps,
  session: RestoringSession & { readonly header: { seq: number } },
  paths: readonly string[],
  work: () => Promise<Result>,
): Promise<{ seq: number; result: Result }> {
  const options = { keepIn: deps.blobs, maxBytes: deps.maxBytes() }
  const before = paths.map((path) => ({ path, before: captureFile(path, options) }))
  for (const { path, before: state } of before)
    if (state.kind === 'unkept')
      throw new FileProblem(`${path} was not changed: its content cannot be kept to undo this (${state.why}).`)
  addRefs(
    deps.place,
    session.id,
    before.map((each) => each.before),
  )
  const changed = (): FileChange[] =>
    before.flatMap(({ path, before: state }): FileChange[] => {
      const after = captureFile(path, options)
      return sameState(state, after) ? [] : [{ path, before: state, after }]
    })
  const record = (changes: readonly FileChange[]): number =>
    session.record({
      type: 'checkpoint.restored',
      restoreId: deps.newId('restore'),
      to: session.header.seq,
      part: 'edit',
      kept: [],
      ...changeList(deps, session.id, changes),
    })[0]!.seq
  let result: Result
  try {
    result = await work()
  } catch (error) {
    // Something else has changed or removed the file instead.
    if (!(error instanceof FileProblem) || error.kind === 'other') recordRest(changed, record)
    throw error
  }
  return { seq: record(changed()), result }
}

/** Changes made before the work failed can be undone as well. Never throws: the failure itself is reported. */
function recordRest(changed: () => FileChange[], record: (changes: readonly FileChange[]) => number): void {
  try {
    const changes = changed()
    if (changes.length > 0) record(changes)
  } catch {
    // The store cannot be written either.
  }
}
