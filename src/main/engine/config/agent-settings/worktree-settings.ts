import { custom, settingTable, type ValuesOf } from '../toml/setting-table'
import type { TableReader } from '../toml/table-reader'

const MAX_COMMAND_CHARS = 4_000
const BRANCH_PREFIX = /^(?:[A-Za-z0-9_][\w.-]*\/?)*$/

/** `[worktree]`: how worktrees of sessions are created. */
export const WORKTREE = settingTable('worktree', {
  setup: custom<string | undefined>(
    'setup',
    undefined,
    'a command that runs in each new worktree, for example `"npm ci"`: [worktrees.md](worktrees.md)',
    readSetup,
  ),
  copy: custom<readonly string[]>(
    'copy',
    ['.env', '.env.*'],
    'files outside Git that are copied into new worktrees, as patterns from the top of the repository; ' +
      'a pattern without a slash applies in every folder',
    readCopy,
    '`[".env", ".env.*"]`',
  ),
  branchPrefix: custom(
    'branch_prefix',
    'trestle/',
    'what the names of new branches begin with',
    (reader) =>
      reader.string('branch_prefix', {
        test: (text) => BRANCH_PREFIX.test(text) && !text.includes('..') && text.length <= 60,
        must: 'the beginning of a branch name like "feature/"',
        canBeEmpty: true,
      }),
    '`"trestle/"`',
  ),
})
export type WorktreeSettings = ValuesOf<typeof WORKTREE.fields> & {
  /** Settings of a trusted project. */
  readonly project?: ProjectWorktree
}

/** A project's settings for its worktrees. */
export interface ProjectWorktree {
  setup?: string
  copy?: readonly string[]
}

/** `[worktree]` of a project's own configuration. */
export function readProjectWorktree(reader: TableReader | undefined): ProjectWorktree | undefined {
  if (!reader) return undefined
  const setup = readSetup(reader)
  const copy = readCopy(reader)
  for (const key of reader.keys())
    if (key !== 'setup' && key !== 'copy') reader.mistake(key, 'is ignored: only your own config may set this')
  return { ...(setup !== undefined && { setup }), ...(copy && { copy }) }
}

function readSetup(reader: TableReader): string | undefined {
  return reader.string('setup', {
    test: (text) => text.length <= MAX_COMMAND_CHARS,
    must: `a command of at most ${MAX_COMMAND_CHARS} characters`,
  })
}

function readCopy(reader: TableReader): readonly string[] | undefined {
  return reader.strings('copy')?.filter((pattern) => {
    const isUsable = pattern !== '' && !pattern.startsWith('/') && !pattern.split(/[\\/]/).includes('..')
    if (!isUsable) reader.mistake('copy', `${JSON.stringify(pattern)} leads out of the repository and is ignored`)
    return isUsable
  })
}
