import { create } from 'zustand'
import type { TaskFilter } from './task-order'

/** What the page of tasks shows; kept as long as the window. */
export const useTaskFilter = create<TaskFilter>()(() => ({ show: 'all', folder: '', sessionId: '', search: '', sort: 'newest' }))
