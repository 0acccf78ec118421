import { projectSettings, type FolderSettings } from './project-settings'
import type { Settings } from './settings'

export interface FolderSettingsDeps {
  home: string
  settings(): Settings
  /** What a project would configure has changed since it was looked at before, so the user may want to look at it. */
  onChanged(folder: string): void
}

/** The settings for work in a folder as they are at that moment. `folder` is a real path. */
export function createFolderSettings({ home, settings, onChanged }: FolderSettingsDeps): (folder: string) => Promise<FolderSettings> {
  const seen = new Map<string, string>()
  return async (folder) => {
    const found = await projectSettings(folder, settings(), home)
    const now = `${found.standing.state} ${found.standing.hash}`
    const before = seen.get(folder)
    seen.set(folder, now)
    if (before !== undefined && before !== now) onChanged(folder)
    return found
  }
}
