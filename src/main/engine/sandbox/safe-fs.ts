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

/** Whether a path exists. Like everything here, it never throws. */
export function exists(path: string): boolean {
  return statsOf(path) !== undefined
}

/** Undefined when it does not exist, or a parent is not a folder. */
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
 * Removes a folder that is no longer needed. A failure (such as no free descriptor) harmlessly leaves it behind; it
 * must not interrupt the caller.
 */
export function removeQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // It is in a temporary folder, or a later start removes it.
  }
}
