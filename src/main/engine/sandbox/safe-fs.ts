import {
  accessSync,
  constants,
  lstatSync,
  readdirSync,
  realpathSync,
  statSync,
  type Dirent,
  type Stats,
  rmSync,
} from 'node:fs'

/** What is at a path, without ever throwing. */
export function exists(path: string): boolean {
  return statsOf(path) !== undefined
}

/** Undefined when it is not there, or something above it is not a folder. */
export function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

export function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0
  } catch {
    return false
  }
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false
  }
}

export function canRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

export function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/**
 * Removes a folder that is not needed any longer. A failure (no free descriptor, say) leaves it behind, which does no
 * harm: it must not end what is going on.
 */
export function removeQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // It is in a temporary folder, or is found there by a later start.
  }
}
