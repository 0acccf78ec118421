import { useQuery } from '@tanstack/react-query'
import type { NewWorktree } from '../../../shared/model/project/worktree'
import { useQueries } from '../../state/page/queries'
import { SelectField } from '../../ui/form/choice-fields'
import { TextField } from '../../ui/form/field'
import { Switch } from '../../ui/form/settings-controls'

interface WorktreeChoiceProps {
  folder: string
  /** Undefined: off. */
  value: NewWorktree | undefined
  onChange: (value: NewWorktree | undefined) => void
}

/** Whether a session works in its own worktree, and from which base. Only the switch if no worktree is possible. */
export function WorktreeChoice({ folder, value, onChange }: WorktreeChoiceProps) {
  const queries = useQueries()
  const { data: offer } = useQuery(queries.worktree.offer.queryOptions({ input: { folder }, retry: false }))
  if (!offer) return null
  const set = (change: Partial<Record<keyof NewWorktree, string | boolean | undefined>>): void => {
    const next = { ...value, ...change }
    onChange(Object.fromEntries(Object.entries(next).filter(([, each]) => each !== undefined && each !== '')))
  }
  const { problem, branch, branches, current, changed, setup } = offer
  return (
    <div className="mb-4 rounded-lg border border-line bg-raised px-3 py-2.5">
      <Switch
        label="Work in a worktree"
        description={
          problem ?? 'A second working tree with its own branch. Your checkout stays as it is, and you can merge later.'
        }
        checked={value !== undefined && problem === undefined}
        disabled={problem !== undefined}
        onChange={(on) => onChange(on ? {} : undefined)}
      />
      {value !== undefined && problem === undefined && (
        <div className="mt-3 space-y-3 border-t border-line pt-3">
          <div className="grid grid-cols-2 gap-3 max-mid:grid-cols-1">
            <TextField
              label="Branch"
              mono
              value={value.branch ?? ''}
              placeholder={branch}
              hint="Default: named after your first message"
              onChange={(event) => set({ branch: event.target.value.trim() })}
            />
            <SelectField
              label="Start from"
              value={value.from ?? ''}
              onChange={(event) =>
                set({ from: event.target.value, ...(event.target.value !== '' && { changes: undefined }) })
              }
            >
              <option value="">{current === undefined ? 'What is checked out' : `${current} (checked out)`}</option>
              {branches
                .filter((name) => name !== current)
                .map((name) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
            </SelectField>
          </div>
          {changed > 0 && (
            <Switch
              label={`Copy ${changed} uncommitted ${changed === 1 ? 'file' : 'files'}`}
              description="Your checkout keeps them, too."
              checked={value.changes ?? false}
              disabled={value.from !== undefined}
              onChange={(on) => set({ changes: on || undefined })}
            />
          )}
          {setup !== undefined && (
            <p className="text-small text-ink-3">
              Then runs <code className="font-mono wrap-anywhere text-ink-2">{setup}</code>
            </p>
          )}
        </div>
      )}
    </div>
  )
}
