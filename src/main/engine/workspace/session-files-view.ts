import { lstatSync } from 'node:fs'
import type { FilePage, FoundFile } from '../../../shared/contract/file'
import { CodedError } from '../../../shared/errors'
import type { SessionHeader } from '../../../shared/model/session'
import { createWorkspace, type Workspace } from './workspace'
import { FileProblem } from './path/file-problem'
import { readLines } from './file/read-lines'
import { isWithin } from './path/real-path'

const MAX_LINES = 1000
const MAX_LINE_CHARS = 2000
const MAX_CHARS = 400_000
const MAX_MS = 15_000

/** The files of a session as its user looks at them: in the project and the added folders, and nothing else. */
export interface SessionFilesView {
  find(sessionId: string, paths: readonly string[]): Promise<(FoundFile | null)[]>
  read(sessionId: string, path: string, from: number): Promise<FilePage>
  /** Real path of a file or folder that may be opened; `request.invalid` for any other. */
  locate(sessionId: string, path: string): Promise<string>
  /** The editor that config.toml names. */
  editorCommand(): string | undefined
}

export interface SessionFilesViewDeps {
  /** TRESTLE_HOME. */
  home: string
  header(sessionId: string): Pick<SessionHeader, 'folder' | 'addedFolders'>
  editorCommand(): string | undefined
}

export function createSessionFilesView({ home, header, editorCommand }: SessionFilesViewDeps): SessionFilesView {
  const workspaceOf = (sessionId: string): Workspace => {
    const { folder, addedFolders } = header(sessionId)
    return createWorkspace({ root: folder, addedFolders })
  }
  /** The real path, or why it is not for looking at, a sentence. */
  async function judge(workspace: Workspace, path: string): Promise<{ realPath: string } | { problem: string }> {
    const { realPath, inside, sensitive, problem } = await workspace.resolve(path)
    const shown = workspace.display(realPath).slice(0, 500)
    if (problem !== undefined) return { problem: `${shown} cannot be opened: ${problem}.` }
    if (sensitive !== undefined) return { problem: `${shown} is protected: Trestle does not show ${sensitive}.` }
    const isOwn =
      isWithin(realPath, home) && ![workspace.root, ...workspace.addedFolders].some((folder) => isWithin(folder, home))
    return inside && !isOwn ? { realPath } : { problem: `${shown} is not in the folders of this session.` }
  }

  return {
    editorCommand,
    async find(sessionId, paths) {
      const workspace = workspaceOf(sessionId)
      return Promise.all(
        paths.map(async (path) => {
          const judged = await judge(workspace, path)
          const stat = 'realPath' in judged ? lstatSync(judged.realPath, { throwIfNoEntry: false }) : undefined
          if (!('realPath' in judged) || !(stat?.isFile() || stat?.isDirectory())) return null
          return { path: workspace.display(judged.realPath), isFolder: stat.isDirectory() }
        }),
      )
    },
    async locate(sessionId, path) {
      const judged = await judge(workspaceOf(sessionId), path)
      if ('problem' in judged) throw new CodedError('request.invalid', `path: ${judged.problem}`)
      return judged.realPath
    },
    async read(sessionId, path, from) {
      const workspace = workspaceOf(sessionId)
      const judged = await judge(workspace, path)
      if ('problem' in judged) throw new CodedError('request.invalid', `path: ${judged.problem}`)
      const { realPath } = judged
      const shown = workspace.display(realPath)
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
          long || raw.length > MAX_LINE_CHARS ? `${raw.slice(0, MAX_LINE_CHARS)} …` : raw.replace(/\r$/, ''),
        )
        return { ...page, lines, ...(read.totalLines !== undefined && { totalLines: read.totalLines }) }
      } catch (error) {
        if (error instanceof FileProblem) return { ...page, problem: error.message }
        throw error
      }
    },
  }
}
