export type TodoStatus = 'pending' | 'in_progress' | 'done'

/** One item of the session's to-do list (reference/tools.md, TodoList). */
export interface Todo {
  title: string
  status: TodoStatus
}
