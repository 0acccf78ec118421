import { basename, sep } from 'node:path'
import type { Engine } from '../../engine/engine-api'
import type { ElectronModule } from './electron-module'
import { NEW_SESSION_ARGUMENT } from './launch-request'

const MOST_RECENT = 10

export interface RecentProject {
  folder: string
  /** As menus show it. */
  label: string
}

/** Folders of the latest sessions, newest first and each once, except those that were cleared from the menu. */
export function recentProjects(engine: Pick<Engine, 'sessions'>, userHome: string, clearedAt: number): RecentProject[] {
  const latest = new Map<string, number>()
  for (const { folder, updatedAt } of engine.sessions.list({})) latest.set(folder, Math.max(updatedAt, latest.get(folder) ?? 0))
  return [...latest]
    .filter(([, updatedAt]) => updatedAt > clearedAt)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, MOST_RECENT)
    .map(([folder]) => ({ folder, label: folder.startsWith(userHome + sep) ? `~${folder.slice(userHome.length)}` : folder }))
}

/** Offers the projects where the system has a place for that: the Dock's menu, the jump list of the taskbar. Elsewhere the menu bar is the place. */
export function offerRecentProjects(
  { app, Menu }: Pick<ElectronModule, 'app' | 'Menu'>,
  platform: NodeJS.Platform,
  recent: readonly RecentProject[],
  actions: { open(folder: string): void; newSession(): void; log(message: string): void },
): void {
  if (platform === 'darwin') {
    app.dock?.setMenu(
      Menu.buildFromTemplate([
        { label: 'New Session', click: () => actions.newSession() },
        { type: 'separator' },
        ...recent.map(({ folder, label }) => ({ label, click: () => actions.open(folder) })),
      ]),
    )
  }
  // Entries of the jump list start the program, which without a package is Electron alone.
  if (platform === 'win32' && app.isPackaged) {
    const program = process.execPath
    const result = app.setJumpList([
      {
        type: 'custom',
        name: 'Recent Projects',
        items: recent.map(({ folder }) => ({
          type: 'task',
          title: basename(folder) || folder,
          description: folder.slice(0, 260),
          program,
          args: `"${folder}"`,
        })),
      },
      {
        type: 'tasks',
        items: [{ type: 'task', title: 'New Session', description: 'Starts a session', program, args: NEW_SESSION_ARGUMENT }],
      },
    ])
    // The user removed entries: Windows refuses the list until they stay out, which the next change of the list does.
    if (result !== 'ok') actions.log(`the jump list was not set: ${result}`)
  }
}
