import { ChevronRight, Minus, Plus, Undo2 } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { gitPathText, type GitChange, type GitChangeKind } from '../../../../shared/model/project/git'
import { IconButton } from '../../../ui/button'
import { cx } from '../../../ui/cx'
import { ChangeDiff } from './change-diff'
import { useGit } from '../git-context'

export type ChangeSide = 'staged' | 'unstaged' | 'untracked'

interface ChangeRowProps {
  change: GitChange
  side: ChangeSide
  /** Its diff is shown. */
  open: boolean
  onOpen: (open: boolean) => void
  /** Whether the keyboard reaches it with Tab. */
  reachable: boolean
  onFocus: () => void
}

/** A file that differs; expands to its diff. Enter expands, S stages or unstages, Delete discards. */
export function ChangeRow({ change, side, open, onOpen, reachable, onFocus }: ChangeRowProps) {
  const { sessionId, run, busy, undoable } = useGit()
  const { path, from } = change
  const name = gitPathText(path)
  const input = { sessionId, paths: [path] }
  const move = (): void =>
    void run(side === 'staged' ? 'Unstaging' : 'Staging', (git) =>
      side === 'staged'
        ? git.unstage(input)
        : git.stage({ sessionId, paths: [path, ...(from === undefined ? [] : [from])] }),
    )
  const discard = (): void =>
    void run('Discarding', async (git) => {
      undoable(side === 'untracked' ? `Removed ${name}` : `Discarded the changes of ${name}`, await git.discard(input))
    })
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 's' || event.key === 'S') {
      event.preventDefault()
      move()
    } else if (event.key === 'Delete' && side !== 'staged') {
      event.preventDefault()
      discard()
    }
  }
  const tab = reachable ? 0 : -1
  return (
    <div className={cx(open && 'border-y border-line')}>
      <div className="group flex min-h-[28px] items-center gap-0.5 pr-1.5 pl-1.5 hover:bg-sunken">
        <button
          type="button"
          data-row
          tabIndex={tab}
          title={name}
          aria-expanded={open}
          aria-keyshortcuts={side === 'staged' ? 'S' : 'S Delete'}
          onFocus={onFocus}
          onKeyDown={onKeyDown}
          onClick={() => onOpen(!open)}
          className={cx(
            'flex min-h-[28px] min-w-0 flex-1 items-center gap-1.5',
            'rounded-[6px] px-1 text-left focus-visible:-outline-offset-2',
          )}
        >
          <ChevronRight
            aria-hidden
            className={cx('size-3.5 flex-none text-ink-3 transition-transform', open && 'rotate-90')}
          />
          <ChangeMark kind={change.kind} />
          <PathText path={name} />
          {from !== undefined && <span className="flex-none text-tiny text-ink-3">from {gitPathText(from)}</span>}
          {change.modeOnly && <span className="flex-none text-tiny text-ink-3">mode</span>}
          {change.submodule && <span className="flex-none text-tiny text-ink-3">submodule</span>}
        </button>
        {side !== 'staged' && !change.submodule && (
          <IconButton
            label={side === 'untracked' ? `Remove ${name}` : `Discard the changes of ${name}`}
            kbd="Delete"
            tabIndex={tab}
            disabled={busy !== undefined}
            className="size-[24px]!"
            onClick={discard}
          >
            <Undo2 aria-hidden />
          </IconButton>
        )}
        <IconButton
          label={`${side === 'staged' ? 'Unstage' : 'Stage'} ${name}`}
          kbd="S"
          tabIndex={tab}
          disabled={busy !== undefined}
          className="size-[24px]!"
          onClick={move}
        >
          {side === 'staged' ? <Minus aria-hidden /> : <Plus aria-hidden />}
        </IconButton>
      </div>
      {open && <ChangeDiff change={change} side={side} />}
    </div>
  )
}

const MARKS: Record<GitChangeKind, { letter: string; word: string; tone: string }> = {
  added: { letter: 'A', word: 'added', tone: 'text-add-ink' },
  untracked: { letter: 'U', word: 'new', tone: 'text-add-ink' },
  modified: { letter: 'M', word: 'modified', tone: 'text-wait-ink' },
  deleted: { letter: 'D', word: 'deleted', tone: 'text-del-ink' },
  renamed: { letter: 'R', word: 'renamed', tone: 'text-run-ink' },
  copied: { letter: 'C', word: 'copied', tone: 'text-run-ink' },
  type: { letter: 'T', word: 'type changed', tone: 'text-wait-ink' },
  conflict: { letter: '!', word: 'in conflict', tone: 'text-fail-ink' },
}

/** What happened to a file, as a letter. */
export function ChangeMark({ kind }: { kind: GitChangeKind }) {
  const { letter, word, tone } = MARKS[kind]
  return (
    <span className={cx('w-3 flex-none text-center font-mono text-tiny font-semibold', tone)}>
      <span aria-hidden title={word}>
        {letter}
      </span>
      <span className="sr-only">{word}</span>
    </span>
  )
}

/** A path whose file name stays readable in a narrow space. */
export function PathText({ path }: { path: string }) {
  const cut = path.replace(/\/$/, '').lastIndexOf('/') + 1
  return (
    <span className="flex min-w-0 flex-1 font-mono text-small">
      <span className="min-w-0 truncate text-ink-3">{path.slice(0, cut)}</span>
      <span className="max-w-full flex-none truncate">{path.slice(cut)}</span>
    </span>
  )
}
