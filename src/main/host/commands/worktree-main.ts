import type { MergeResult, MergeWay, Worktree } from '../../../shared/model/project/worktree'
import { oneLine, table } from '../../console/output'
import { parseAction, refuseAgents, type ActionSpec } from '../../console/parse-action'
import { UsageError, type Parsed } from '../../console/parse-command'
import { reportStart } from '../../console/report'
import { createEngine } from '../../engine/engine'
import type { MergeOptions } from '../../engine/worktree/merge-worktree'

const ID = { words: [1, 1] as [number, number], takes: 'the id of a worktree' }
const MERGE = ['json', 'into', 'rebase', 'commit', 'message']
const ACTIONS = {
  list: { options: ['json'], words: [0, 0], takes: 'no arguments' },
  show: { ...ID, options: ['json'] },
  merge: { ...ID, options: [...MERGE, 'squash'], humanOnly: true },
  update: { ...ID, options: [...MERGE, 'keep-conflicts'], humanOnly: true },
  remove: { ...ID, options: ['json'], humanOnly: true },
  restore: { ...ID, options: ['json'], humanOnly: true },
  purge: { ...ID, options: ['json'], humanOnly: true },
} satisfies Record<string, ActionSpec>

/** `trestle worktree`. Returns the exit code: 0, 1 with conflicts, or 2 when it is not allowed. */
export async function worktreeMain(parsed: Parsed, version: string): Promise<number> {
  const { action, words } = parseAction<keyof typeof ACTIONS>('worktree', ACTIONS, parsed)
  const { humanOnly }: ActionSpec = ACTIONS[action]
  if (humanOnly && (await refuseAgents(`worktree ${action}`))) return 2
  const { values } = parsed
  const say = (json: unknown, text: string): void =>
    void process.stdout.write(values['json'] === true ? `${JSON.stringify(json)}\n` : text)
  const engine = await createEngine({ version, watch: false, runsQueue: false })
  try {
    reportStart(engine)
    const worktrees = await engine.worktrees()
    const id = words[0] ?? ''
    switch (action) {
      case 'list': {
        const all = await worktrees.list()
        say(all, listText(all))
        break
      }
      case 'show': {
        const status = await worktrees.status(id)
        const { changed, ahead, behind, base = 'a commit', problem } = status
        const state = `${changed} uncommitted, ${ahead} ahead of and ${behind} behind ${base}`
        say(status, `${listText([status])}${problem === undefined ? state : problem}\n`)
        break
      }
      case 'merge':
      case 'update': {
        const result = await worktrees[action](id, optionsOf(values))
        say(result, mergeText(result))
        if (result.state === 'conflicts') return 1
        break
      }
      case 'remove': {
        const removed = await worktrees.remove(id)
        say(removed, removedText(removed))
        break
      }
      case 'restore': {
        const restored = await worktrees.restore(id)
        say(restored, `Restored in ${restored.folder}, on ${restored.branch ?? 'no branch'}.\n`)
        break
      }
      case 'purge': {
        await worktrees.purge(id)
        say({ purged: id }, `Deleted what was saved of ${oneLine(id)}.\n`)
      }
    }
    return 0
  } finally {
    await engine.close()
  }
}

function optionsOf(values: Parsed['values']): MergeOptions {
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  if (values['squash'] === true && values['rebase'] === true)
    throw new UsageError('--squash and --rebase cannot be combined.', 'worktree')
  const way: MergeWay = values['squash'] === true ? 'squash' : values['rebase'] === true ? 'rebase' : 'merge'
  const into = text('into')
  const commit = text('commit')
  const message = text('message')
  return {
    way,
    ...(into !== undefined && { into }),
    ...(commit !== undefined && { commit }),
    ...(message !== undefined && { message }),
    ...(values['keep-conflicts'] === true && { keepConflicts: true }),
  }
}

function listText(all: readonly Worktree[]): string {
  if (all.length === 0) return 'There are no worktrees. "trestle chat --worktree" starts a session in one.\n'
  const rows = all.map(({ worktreeId, state, branch, folder, problem }) => [
    worktreeId,
    problem === undefined ? state : 'problem',
    branch ?? '',
    oneLine(folder),
  ])
  return `${table(['Id', 'State', 'Branch', 'Folder'], rows)}\n`
}

function mergeText(result: MergeResult): string {
  if (result.state === 'nothing') return 'There is nothing to merge.\n'
  if (result.state === 'done') return `Merged into ${result.into}: ${result.commit.slice(0, 12)}\n`
  const files = result.files.map((file) => `  ${oneLine(file)}\n`).join('')
  const next = result.kept
    ? 'Resolve them in the worktree and commit.'
    : 'Nothing was changed. "trestle worktree update ID --keep-conflicts" brings them into the worktree.'
  return `Conflicts:\n${files}${next}\n`
}

function removedText({ worktreeId, branch, removed }: Worktree): string {
  const lines = [`Removed. To get it back: trestle worktree restore ${worktreeId}`]
  if (removed?.patch !== undefined)
    lines.push(
      `${removed.files} uncommitted ${removed.files === 1 ? 'file is' : 'files are'} in ${removed.patch}`,
      `To apply it: git apply --binary ${JSON.stringify(removed.patch)}`,
    )
  if (removed && removed.dropped.length > 0) lines.push(`Not saved: ${removed.dropped.map(oneLine).join(', ')}`)
  if (branch !== undefined)
    lines.push(removed?.branchDeleted ? `The branch ${branch} was deleted.` : `The branch ${branch} stays.`)
  return `${lines.join('\n')}\n`
}
