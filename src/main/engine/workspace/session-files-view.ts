import { lstatSync } from 'node:fs'
import type { FilePage, FoundFile } from '../../../shared/contract/project/file'
import type { FileAccess } from './file-access'
import { FileProblem } from './path/file-problem'
import { readLines } from './file/read-lines'
import { cutText } from '../../../shared/cut-text'

const MAX_LINES = 1000
const MAX_LINE_CHARS = 2000
const MAX_CHARS = 400_000
const MAX_MS = 15_000

/** The files of a session that its user can view: only those in the project and the added folders. */
export interface SessionFilesView {
  find(sessionId: string, paths: readonly string[]): Promise<(FoundFile | null)[]>
  read(sessionId: string, path: string, from: number): Promise<FilePage>
  /** Real path of a file or folder that can be opened; `request.invalid` for any other. */
  locate(sessionId: string, path: string): Promise<string>
  /** The editor command in config.toml. */
  editorCommand(): string | undefined
}

export interface SessionFilesViewDeps {
  access: FileAccess
  editorCommand(): string | undefined
}

export function createSessionFilesView({ access, editorCommand }: SessionFilesViewDeps): SessionFilesView {
  return {
    editorCommand,
    async find(sessionId, paths) {
      return Promise.all(
        paths.map(async (path) => {
          const judged = await access.judge(sessionId, path)
          const stat = 'realPath' in judged ? lstatSync(judged.realPath, { throwIfNoEntry: false }) : undefined
          if (!('realPath' in judged) || !(stat?.isFile() || stat?.isDirectory())) return null
          return { path: judged.shown, isFolder: stat.isDirectory() }
        }),
      )
    },
    async locate(sessionId, path) {
      return (await access.require(sessionId, path)).realPath
    },
    async read(sessionId, path, from) {
      const { realPath, shown } = await access.require(sessionId, path)
      const page = { path: shown, absolutePath: realPath, from, lines: [] }
      try {
        const read = await readLines(realPath, shown, {
          offset: from,
          maxLines: MAX_LINES,
          maxLineChars: MAX_LINE_CHARS,
          maxChars: MAX_CHARS,
          signal: AbortSignal.timeout(MAX_MS),
        })
        if ('notText' in read) return { ...page, problem: `${shown} is not text: ${read.notText.reason}.` }
        const lines = read.lines.map(({ raw, long }) =>
          long || raw.length > MAX_LINE_CHARS ? `${cutText(raw, MAX_LINE_CHARS)} …` : raw.replace(/\r$/, ''),
        )
        return { ...page, lines, ...(read.totalLines !== undefined && { totalLines: read.totalLines }) }
      } catch (error) {
        if (error instanceof FileProblem) return { ...page, problem: error.message }
        throw error
      }
    },
  }
}
