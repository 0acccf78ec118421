export const TODO_STATUSES = ['pending', 'in_progress', 'done'] as const
export type TodoStatus = (typeof TODO_STATUSES)[number]

/** One item of the session's to-do list (reference/tools.md, TodoList). */
export interface Todo {
  title: string
  status: TodoStatus
}
