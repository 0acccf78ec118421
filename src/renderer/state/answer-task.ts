import { create } from 'zustand'
import type { Task } from '../../shared/model/task'
import { useLayout } from './layout-state'
import { jumpToCall } from './session-view'

/** Terminals on screen that can be typed into, the newest last. */
const terminals = new Map<string, (() => void)[]>()

/** The task whose terminal takes the focus as soon as it is there. */
export const useWantedTerminal = create<{ taskId: string | undefined }>()(() => ({ taskId: undefined }))

/** Registers a terminal on screen; gives it the focus when that was asked for before it came. Returns how to unregister. */
export function registerTerminal(taskId: string, focus: () => void): () => void {
  terminals.set(taskId, [...(terminals.get(taskId) ?? []), focus])
  if (useWantedTerminal.getState().taskId === taskId) {
    useWantedTerminal.setState({ taskId: undefined })
    focus()
  }
  return () => {
    const left = (terminals.get(taskId) ?? []).filter((candidate) => candidate !== focus)
    if (left.length > 0) terminals.set(taskId, left)
    else terminals.delete(taskId)
  }
}

/** Puts the focus into the terminal of a task: where it is on screen, else in its card of the open session, else on the page of tasks. */
export function answerTask(task: Task): void {
  const focus = terminals.get(task.taskId)?.at(-1)
  if (focus) {
    focus()
    return
  }
  useWantedTerminal.setState({ taskId: task.taskId })
  const { view, openTasks } = useLayout.getState()
  const here = view.kind === 'session' && view.sessionId === task.sessionId && task.callId !== undefined
  if (here && jumpToCall(view.sessionId, task.callId ?? '')) return
  openTasks(task.taskId)
}
