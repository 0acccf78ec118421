import { realpathSync, unwatchFile, watch, watchFile, type FSWatcher } from 'node:fs'
import { basename, dirname } from 'node:path'

/** Debounce of file watching: editors write in several steps. */
const DEBOUNCE_MS = 60
const POLL_MS = 2000

/**
 * Calls `onChange` some milliseconds after a file was changed, replaced, removed or created. Watches the folder,
 * because editors replace files by renaming, and for a symlink also the real file's folder. Does not keep the process
 * alive. Returns a function to stop.
 */
export function watchConfigFile(file: string, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const changed = (): void => {
    clearTimeout(timer)
    timer = setTimeout(onChange, DEBOUNCE_MS).unref()
  }
  const watchers: FSWatcher[] = []
  let polling = false
  const poll = (): void => {
    if (polling) return
    polling = true
    watchFile(file, { interval: POLL_MS, persistent: false }, changed)
  }
  for (const path of new Set([file, realPath(file)])) {
    try {
      const watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
        if (name === null || name === basename(path)) changed()
      })
      // The folder was deleted, or the system has no watches left.
      watcher.on('error', poll)
      watchers.push(watcher)
    } catch {
      poll()
    }
  }
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
    if (polling) unwatchFile(file, changed)
  }
}

function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
