/**
 * Sessions without a project work in subfolders of this folder, which is next to TRESTLE_HOME. Not inside, because
 * sandboxed commands cannot see TRESTLE_HOME.
 */
export const SCRATCH_FOLDERS = '.trestle-scratch'

const SCRATCH_FOLDER = /[\\/]\.trestle-scratch(?:[\\/][^\\/]+)?$/

/** Whether the folder belongs to a session without a project, or contains all such folders. */
export function isScratchFolder(folder: string): boolean {
  return SCRATCH_FOLDER.test(folder)
}

/** The folder that represents the project in lists: for sessions without a project, the parent of their folders. */
export function projectFolder(folder: string): string {
  const match = SCRATCH_FOLDER.exec(folder)
  return match ? folder.slice(0, match.index + 1 + SCRATCH_FOLDERS.length) : folder
}
