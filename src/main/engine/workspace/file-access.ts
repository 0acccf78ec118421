import { join } from 'node:path'
import { CodedError } from '../../../shared/errors'
import type { SessionHeader } from '../../../shared/model/session/session'
import { isWithin } from './path/real-path'
import { createWorkspace, type Workspace } from './workspace'

/** A file or folder that the user of a session can view. */
export interface ViewedPath {
  realPath: string
  /** For display: relative inside the project folder, else absolute. */
  shown: string
}

/** Decides which files the user of a session can view: those in its folders, and its attachments. */
export interface FileAccess {
  /** The folders of a session, without the read state of its agent. */
  workspace(sessionId: string): Workspace
  /** The real path, or why it cannot be viewed, as a sentence. */
  judge(sessionId: string, path: string): Promise<ViewedPath | { problem: string }>
  /** The same; throws `request.invalid` if it cannot be viewed. */
  require(sessionId: string, path: string): Promise<ViewedPath>
}

export interface FileAccessDeps {
  /** TRESTLE_HOME. */
  home: string
  header(sessionId: string): Pick<SessionHeader, 'folder' | 'addedFolders'>
}

/** The folder with the files that were attached to a session's messages. */
export function attachmentsFolder(home: string, sessionId: string): string {
  return join(home, 'sessions', sessionId, 'attachments')
}

export function createFileAccess({ home, header }: FileAccessDeps): FileAccess {
  const workspace = (sessionId: string): Workspace => {
    const { folder, addedFolders } = header(sessionId)
    return createWorkspace({ root: folder, addedFolders })
  }
  const judge: FileAccess['judge'] = async (sessionId, path) => {
    const folders = workspace(sessionId)
    const { realPath, inside, sensitive, problem } = await folders.resolve(path)
    const shown = folders.display(realPath).slice(0, 500)
    if (problem !== undefined) return { problem: `${shown} cannot be opened: ${problem}.` }
    if (sensitive !== undefined) return { problem: `${shown} is protected: Trestle does not show ${sensitive}.` }
    if (isWithin(realPath, attachmentsFolder(home, sessionId))) return { realPath, shown }
    const isOwn =
      isWithin(realPath, home) && ![folders.root, ...folders.addedFolders].some((folder) => isWithin(folder, home))
    return inside && !isOwn ? { realPath, shown } : { problem: `${shown} is not in the folders of this session.` }
  }
  return {
    workspace,
    judge,
    async require(sessionId, path) {
      const judged = await judge(sessionId, path)
      if ('problem' in judged) throw new CodedError('request.invalid', `path: ${judged.problem}`)
      return judged
    },
  }
}
