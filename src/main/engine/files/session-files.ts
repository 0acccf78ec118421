import type {
  AttachedFile,
  EditableText,
  FileBytes,
  FileLines,
  FileSymbol,
  FileView,
  FilteredFiles,
  FolderEntries,
  SaveOutcome,
  TextMatches,
  TextQuery,
} from '../../../shared/model/project/file-view'
import { CodedError } from '../../../shared/errors'
import type { FileAccess, ViewedPath } from '../workspace/file-access'
import { FileProblem } from '../workspace/path/file-problem'
import { isWithin } from '../workspace/path/real-path'
import type { KeepUserChange } from '../checkpoint/user-change'
import { type FileReading, versionAt } from './file-reading'
import type { FileFilter } from './tree/file-filter'

/** The user's access to the files of a session. Throws `request.invalid` for paths that the user may not view. */
export interface SessionFiles {
  /** The kind of a file, and the start of its text. */
  view(sessionId: string, path: string): Promise<FileView>
  /** Changes whenever the file does. */
  version(sessionId: string, path: string): Promise<string>
  lines(sessionId: string, path: string, from: number, count: number): Promise<FileLines>
  bytes(sessionId: string, path: string, offset: number, length: number): Promise<FileBytes>
  search(sessionId: string, path: string, query: TextQuery): Promise<TextMatches>
  outline(sessionId: string, path: string): Promise<FileSymbol[]>
  /** The entries of a folder; an empty `path` is the project folder. */
  folder(sessionId: string, path: string): Promise<FolderEntries>
  filter(sessionId: string, query: string, limit: number, early?: boolean): Promise<FilteredFiles>
  text(sessionId: string, path: string): Promise<EditableText>
  /**
   * Writes a text. `mark`: the mark of the content it replaces, `absent` for a new file, `any` to overwrite any
   * content.
   */
  save(sessionId: string, path: string, text: string, mark: string): Promise<SaveOutcome>
  /** Renames a file or folder. `version`: its expected version. */
  rename(sessionId: string, path: string, name: string, version?: string): Promise<{ path: string; seq: number }>
  remove(sessionId: string, path: string): Promise<{ seq: number }>
  /** Saves a copy of a file from outside the project for the agent to read. */
  attach(sessionId: string, name: string, data: Uint8Array): Promise<AttachedFile>
  close(): Promise<void>
}

export interface SessionFilesDeps {
  /** TRESTLE_HOME. */
  home: string
  access: FileAccess
  keepUserChange: KeepUserChange
}

/** Code is loaded on first use. */
export function createSessionFiles({ home, access, keepUserChange }: SessionFilesDeps): SessionFiles {
  let reading: Promise<FileReading> | undefined
  let filter: Promise<FileFilter> | undefined
  const files = (): Promise<FileReading> =>
    (reading ??= import('./file-reading').then(({ FileReading: Reading }) => new Reading()))
  const filters = (): Promise<FileFilter> =>
    (filter ??= import('./tree/file-filter').then(({ FileFilter: Filter }) => new Filter()))
  const reader = async <Result>(
    sessionId: string,
    path: string,
    use: (files: FileReading, place: ViewedPath) => Promise<Result>,
  ): Promise<Result> => {
    const place = await access.require(sessionId, path)
    return asRequestError(async () => use(await files(), place))
  }
  const changes = { access, keepUserChange }
  return {
    view: (sessionId, path) => reader(sessionId, path, (of, place) => of.view(place)),
    async version(sessionId, path) {
      const { realPath } = await access.require(sessionId, path)
      const found = versionAt(realPath)
      if (found?.startsWith('folder:')) return found
      return reader(sessionId, path, async (of, place) => of.version(place))
    },
    lines: (sessionId, path, from, count) => reader(sessionId, path, (of, place) => of.lines(place, from, count)),
    bytes: (sessionId, path, offset, length) => reader(sessionId, path, (of, place) => of.bytes(place, offset, length)),
    search: (sessionId, path, query) => reader(sessionId, path, (of, place) => of.search(place, query)),
    outline: (sessionId, path) => reader(sessionId, path, (of, place) => of.outline(place)),
    async folder(sessionId, path) {
      const { root, addedFolders } = access.workspace(sessionId)
      const { realPath, shown } = await access.require(sessionId, path === '' ? root : path)
      const { listFolder, requireFolder } = await import('./tree/list-folder')
      return asRequestError(async () => {
        requireFolder(realPath, shown)
        const top = [root, ...addedFolders].find((each) => isWithin(realPath, each))
        return listFolder({
          path: realPath,
          shown,
          root: top ?? realPath,
          follow: (each) => access.judge(sessionId, each),
        })
      })
    },
    filter: async (sessionId, query, limit, early) =>
      (await filters()).filter(access.workspace(sessionId).root, query, limit, early),
    text: (sessionId, path) => reader(sessionId, path, (of, place) => of.editable(place)),
    save: (sessionId, path, text, mark) =>
      asRequestError(async () => {
        const { saveFile } = await import('./change-files')
        return saveFile(changes, { sessionId, path, text, mark })
      }),
    rename: (sessionId, path, name, version) =>
      asRequestError(async () =>
        (await import('./change-files')).renameFile(changes, { sessionId, path, name, version }),
      ),
    remove: (sessionId, path) =>
      asRequestError(async () => (await import('./change-files')).removeFileOf(changes, { sessionId, path })),
    async attach(sessionId, name, data) {
      // Throws if the session does not exist.
      access.workspace(sessionId)
      const { keepAttachment } = await import('./attachments')
      return keepAttachment(home, sessionId, name, data)
    },
    async close() {
      const open = await Promise.allSettled([reading, filter])
      for (const one of open) if (one.status === 'fulfilled') one.value?.close()
    },
  }
}

/** Reports a file problem to the user unchanged. */
async function asRequestError<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FileProblem)
      throw new CodedError('request.invalid', `path: ${error.message}`, { cause: error })
    throw error
  }
}
