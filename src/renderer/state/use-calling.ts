import { useEffect } from 'react'
import type { InboxEntry } from '../../shared/model/approval'
import type { NotificationSettings } from '../../shared/model/settings'
import type { Task } from '../../shared/model/task'
import { chime } from './chime'
import { folderName } from './folder-name'
import { joinPages } from './front-lock'
import { entryKey, useInbox } from './inbox-state'
import { useLayout } from './layout-state'
import { titleOf } from './ordered-sessions'
import { useTasks } from './tasks-state'

/** One at a time: a newer one takes its place. */
const TAG = 'trestle-inbox'

/**
 * Calls for the user when something begins to wait and no page of Trestle is in front: by a notification, where the browser was allowed to, and a
 * sound, as the settings say. Of several open pages one calls. In the desktop app the host does all of it.
 */
export function useCalling(host: 'electron' | 'web' | undefined, settings: NotificationSettings | undefined): void {
  const enabled = host === 'web' && settings?.enabled === true
  const sound = settings?.sound === true
  useEffect(() => (enabled ? callWhenNeeded(sound) : undefined), [enabled, sound])
}

function callWhenNeeded(sound: boolean): () => void {
  const pages = joinPages()
  let known = keysOf(useInbox.getState())
  let shown: Notification | undefined
  const stop = useInbox.subscribe((state) => {
    const fresh = known ? state.entries.filter((entry) => !known?.has(entryKey(entry))) : []
    known = keysOf(state)
    if (state.entries.length === 0) shown?.close()
    if (fresh.length > 0 && pages.isCaller()) void call(fresh)
  })
  const call = async (fresh: readonly InboxEntry[]): Promise<void> => {
    if (await pages.isAnyInFront()) return
    if (sound) void chime()
    shown = notify(fresh, useInbox.getState().entries.length) ?? shown
  }
  const stopTasks = useTasks.subscribe((state, before) => {
    if (state.waiting === before.waiting || !before.loaded) return
    const asked = new Set(before.waiting.map(({ taskId }) => taskId))
    const task = state.waiting.find(({ taskId }) => !asked.has(taskId))
    if (task && pages.isCaller()) void callForTask(task)
  })
  const callForTask = async (task: Task): Promise<void> => {
    if (await pages.isAnyInFront()) return
    if (sound) void chime()
    notifyOfTask(task)
  }
  return () => {
    stop()
    stopTasks()
    pages.leave()
  }
}

/** Undefined before the list has come for the first time: what waits then is nothing new. */
function keysOf({ loaded, entries }: { loaded: boolean; entries: readonly InboxEntry[] }): ReadonlySet<string> | undefined {
  return loaded ? new Set(entries.map(entryKey)) : undefined
}

function notify(fresh: readonly InboxEntry[], waiting: number): Notification | undefined {
  const [entry] = fresh
  if (!entry || !('Notification' in globalThis) || Notification.permission !== 'granted') return undefined
  const place = `${folderName(entry.folder, undefined).name} · ${titleOf({ title: entry.sessionTitle })}`
  const notification =
    waiting === 1
      ? new Notification(`${entry.tool} waits for you`, { body: `${entry.summary}\n${place}`, tag: TAG, silent: true, icon: './icon.svg' })
      : new Notification(`${waiting} requests wait for you`, {
          body: `Newest: ${entry.tool} ${entry.summary}\n${place}`,
          tag: TAG,
          silent: true,
          icon: './icon.svg',
        })
  notification.addEventListener('click', () => {
    window.focus()
    if (waiting === 1) useLayout.getState().openSession(entry.sessionId)
    else useLayout.getState().openInbox()
    notification.close()
  })
  return notification
}

/** A command asks something on its terminal. */
function notifyOfTask(task: Task): void {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return
  const body = [task.prompt?.text, task.folder === undefined ? undefined : folderName(task.folder, undefined).name]
  const notification = new Notification(`${task.command.slice(0, 80)} waits for you`, {
    body: body.filter(Boolean).join('\n'),
    tag: `${TAG}-${task.taskId}`,
    silent: true,
    icon: './icon.svg',
  })
  notification.addEventListener('click', () => {
    window.focus()
    useLayout.getState().openTasks(task.taskId)
    notification.close()
  })
}
