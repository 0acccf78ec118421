import { Circle, CircleCheck, CircleDot, ListTodo, ClipboardList } from 'lucide-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { Todo, TodoStatus, PlanRevision, PlanState } from '../../../shared/model/turn/plan'
import { cx } from '../../ui/cx'
import { EmptyState } from '../../ui/notice'
import { formatDate } from '../../../shared/language/speak'
import { shortPath } from '../../format/folder-name'
import { useClient } from '../../state/page/queries'
import { LoadError } from '../../ui/load-error'

const TODO_STATUS_LABELS: Record<TodoStatus, string> = { pending: 'to do', in_progress: 'in progress', done: 'done' }

/** The agent's to-do list. */
export function TodosPane({ todos }: { todos: readonly Todo[] }) {
  if (todos.length === 0) {
    return (
      <EmptyState icon={<ListTodo aria-hidden />} title="No to-do list yet">
        The agent tracks its steps here on longer tasks.
      </EmptyState>
    )
  }
  const done = todos.filter((todo) => todo.status === 'done').length
  return (
    <div className="px-3.5 py-3">
      <div className="mb-2 flex items-center gap-2.5 text-tiny text-ink-3 tabular-nums">
        <span>
          {done} of {todos.length} done
        </span>
        <span aria-hidden className="h-1 flex-1 overflow-hidden rounded-full bg-line forced-color-adjust-none">
          <span className="block h-full rounded-full bg-done" style={{ width: `${(done / todos.length) * 100}%` }} />
        </span>
      </div>
      <ul>
        {todos.map((todo, index) => (
          <li key={`${index}:${todo.title}`} className="flex items-start gap-2.5 py-[5px]">
            <TodoSign status={todo.status} />
            <span
              className={cx(
                'min-w-0 flex-1 break-words',
                todo.status === 'done' && 'text-ink-3 line-through',
                todo.status === 'in_progress' && 'font-medium',
              )}
            >
              {todo.title}
            </span>
            <span className="sr-only">{TODO_STATUS_LABELS[todo.status]}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function TodoSign({ status }: { status: TodoStatus }) {
  const className = 'mt-[3px] size-[14px] flex-none'
  if (status === 'done') return <CircleCheck aria-hidden className={cx(className, 'text-done-ink')} />
  if (status === 'in_progress') return <CircleDot aria-hidden className={cx(className, 'text-run-ink')} />
  return <Circle aria-hidden className={cx(className, 'text-ink-3')} />
}

interface PlanPaneProps {
  sessionId: string
  plan: PlanState | undefined
  /** Changes whenever the plan file may have changed. */
  stamp: string
  userHome: string | undefined
  renderMarkdown: (text: string) => ReactNode
}

const DECISIONS = {
  approve: 'approved',
  revise: 'changes requested',
  reject: 'rejected',
  reject_exit: 'rejected',
} as const

/** The session's current plan, and each revision that the user reviewed. */
export function PlanPane({ sessionId, plan, stamp, userHome, renderMarkdown }: PlanPaneProps) {
  const client = useClient()
  const [picked, setPicked] = useState<{ plan: number; revision: number }>()
  const planned = plan !== undefined
  const now = useQuery({
    queryKey: ['plan', sessionId, stamp],
    queryFn: () => client.plan.view({ sessionId }),
    enabled: planned,
    placeholderData: keepPreviousData,
  })
  const past = useQuery({
    queryKey: ['plan-revision', sessionId, picked?.plan, picked?.revision],
    queryFn: () => client.plan.revision({ sessionId, plan: picked?.plan ?? 1, revision: picked?.revision ?? 1 }),
    enabled: picked !== undefined,
    staleTime: Infinity,
  })
  const failed = [now, past].find(({ error }) => error)
  const text = picked ? past.data?.text : now.data?.text
  if (!plan || (now.data && now.data.text === undefined && plan.revisions.length === 0)) {
    return (
      <EmptyState icon={<ClipboardList aria-hidden />} title="No plan yet">
        In plan mode the agent explores and writes a plan. Nothing else can change until you approve it. Press Shift+Tab
        to switch.
      </EmptyState>
    )
  }
  return (
    <div className="px-3.5 py-3">
      {plan.revisions.length > 0 && (
        <ol aria-label="Revisions" className="mb-3 border-b border-line pb-2">
          <Choice label="Current" chosen={picked === undefined} onChoose={() => setPicked(undefined)} />
          {plan.revisions.toReversed().map((revision) => (
            <Choice
              key={`${revision.plan}.${revision.revision}`}
              label={revisionText(revision, plan)}
              chosen={picked?.plan === revision.plan && picked.revision === revision.revision}
              onChoose={() => setPicked({ plan: revision.plan, revision: revision.revision })}
            />
          ))}
        </ol>
      )}
      {failed && <LoadError query={failed} />}
      {text !== undefined && (
        <div aria-label="The text of the plan" role="group">
          {renderMarkdown(text)}
        </div>
      )}
      {!picked && now.data && (
        <p className="mt-3 text-tiny break-all text-ink-3">
          {now.data.text === undefined && 'The plan is empty. '}
          {shortPath(now.data.file, userHome)}
        </p>
      )}
    </div>
  )
}

function Choice({ label, chosen, onChoose }: { label: string; chosen: boolean; onChoose: () => void }) {
  return (
    <li>
      <button
        type="button"
        aria-pressed={chosen}
        className={cx(
          'w-full rounded-[5px] px-2 py-[3px] text-left text-small hover:bg-sunken',
          chosen ? 'bg-sunken font-medium' : 'text-ink-2',
        )}
        onClick={onChoose}
      >
        {label}
      </button>
    </li>
  )
}

function revisionText({ plan, revision, at, decision, choice }: PlanRevision, { plan: current }: PlanState): string {
  const of = plan === current ? '' : `Plan ${plan}, `
  const name = `${of}${of === '' ? 'Revision' : 'revision'} ${revision}`
  const time = formatDate(at, { timeStyle: 'short' })
  return [name, time, decision ? DECISIONS[decision] : 'pending', choice].filter(Boolean).join(' · ')
}
