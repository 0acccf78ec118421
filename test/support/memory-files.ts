import { createSessionFiles } from '../../src/main/engine/files/session-files'
import { createFileAccess, type FileAccessDeps } from '../../src/main/engine/workspace/file-access'
import { createSessionFilesView } from '../../src/main/engine/workspace/session-files-view'
import type { Engine } from '../../src/main/engine/engine-api'

/** The files of sessions in the engine; changes are made, but not recorded. */
export function memoryFiles(home: string, header: FileAccessDeps['header']): Engine['files'] {
  const access = createFileAccess({ home, header })
  const keepUserChange = async <Result>(_session: string, _paths: readonly string[], work: () => Promise<Result>) => ({
    seq: 1,
    result: await work(),
  })
  return {
    ...createSessionFilesView({ access, editorCommand: () => undefined }),
    ...createSessionFiles({ home, access, keepUserChange }),
  }
}
