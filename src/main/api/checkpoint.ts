import { CodedError } from '../../shared/model/errors'
import type { RestoreRequest } from '../engine/engine-api'
import type { ApiDeps, Implementer } from './api-deps'

export function checkpointHandlers(os: Implementer, { engine: { checkpoints } }: ApiDeps) {
  return {
    points: os.checkpoint.points.handler(({ input }) => checkpoints.points(input.sessionId)),
    preview: os.checkpoint.preview.handler(({ input: { sessionId, ...request } }) => checkpoints.preview(sessionId, requestOf(request))),
    restore: os.checkpoint.restore.handler(({ input: { sessionId, ...request } }) => checkpoints.restore(sessionId, requestOf(request))),
    files: os.checkpoint.files.handler(({ input }) => checkpoints.files(input.sessionId)),
    hunks: os.checkpoint.hunks.handler(({ input }) => checkpoints.hunks(input.sessionId, input.path)),
    undoHunk: os.checkpoint.undoHunk.handler(({ input }) => checkpoints.undoHunk(input.sessionId, input.path, input.hunkId)),
  }
}

function requestOf({
  paths,
  overwrite,
  ...request
}: {
  to: number
  files: boolean
  conversation: boolean
  paths?: string[] | undefined
  overwrite?: string[] | 'all' | undefined
}): RestoreRequest {
  if (!request.files && !request.conversation) throw new CodedError('request.invalid', 'files, conversation: at least one of them.')
  if (paths && request.conversation) throw new CodedError('request.invalid', 'paths: go with files alone.')
  return { ...request, ...(paths && { paths }), ...(overwrite && { overwrite }) }
}
