/**
 * Where sessions without a project work: each has a folder of its own in this one, which lies beside TRESTLE_HOME. Not
 * inside, since sandboxed commands cannot see TRESTLE_HOME.
 */
export const SCRATCH_FOLDERS = '.trestle-scratch'

const SCRATCH_FOLDER = /[\\/]\.trestle-scratch(?:[\\/][^\\/]+)?$/

/** Whether the folder belongs to a session without a project, or holds all such folders. */
export function isScratchFolder(folder: string): boolean {
  return SCRATCH_FOLDER.test(folder)
}

/** The folder that stands for the project in lists: for sessions without a project the one that holds their folders. */
export function projectFolder(folder: string): string {
  const match = SCRATCH_FOLDER.exec(folder)
  return match ? folder.slice(0, match.index + 1 + SCRATCH_FOLDERS.length) : folder
}
