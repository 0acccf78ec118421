import { Circle, CircleCheck, CircleDot, ListTodo } from 'lucide-react'
import type { Todo, TodoStatus } from '../../../shared/model/todo'
import { cx } from '../../ui/cx'
import { EmptyState } from '../../ui/empty-state'

const WORDS: Record<TodoStatus, string> = { pending: 'to do', in_progress: 'in progress', done: 'done' }

/** The agent's own to-do list. */
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
        <span aria-hidden className="h-1 flex-1 overflow-hidden rounded-full bg-line">
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
            <span className="sr-only">{WORDS[todo.status]}</span>
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
