import { sep } from 'node:path'

let found: Promise<string> | undefined

/**
 * Where the ripgrep program is: it comes with the platform package of `@vscode/ripgrep`. Rejects when that package was not installed
 * (`npm install --omit=optional`).
 */
export function ripgrepPath(): Promise<string> {
  found ??= import('@vscode/ripgrep').then(
    ({ rgPath }) => outsideAsar(rgPath),
    (error: unknown) => {
      found = undefined
      throw error
    },
  )
  return found
}

/** A program cannot be started from inside Electron's archive; electron-builder puts a copy beside it. */
export function outsideAsar(path: string): string {
  return path.replace(`app.asar${sep}`, `app.asar.unpacked${sep}`)
}
