import { hash as hashOf } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { CodedError } from '../../../shared/errors'
import { captureFile, sameState, type BlobStore } from '../checkpoint/capture/file-state'
import { decodeText, type TextFormat } from '../workspace/file/text-file'
import { objectContents } from './branch-files'
import type { ReviewDeps, ReviewedFile, Version } from './reviewed-file'

/** The text of one side of a file; `problem`: why it has none. */
export type SideText = { text: string; format?: TextFormat; bytes: number } | { problem: string }

/** Both sides of a reviewed file. */
export interface FileTexts {
  before: SideText
  after: SideText
}

/** Reads the texts of files; those in git with one command. */
export async function textsOf(
  deps: ReviewDeps,
  folder: string,
  files: readonly ReviewedFile[],
): Promise<Map<ReviewedFile, FileTexts>> {
  const contents = await gitContents(deps, folder, files)
  return new Map(
    files.map((file) => {
      const before = sideText(bytesOf(deps, file, file.before, contents), file.before)
      const after = sideText(bytesOf(deps, file, file.after, contents), file.after)
      return [file, { before, after }]
    }),
  )
}

/** The contents of old sides that are git objects, by object id. */
export async function gitContents(
  deps: ReviewDeps,
  folder: string,
  files: readonly ReviewedFile[],
): Promise<Map<string, Buffer>> {
  const objects = files.flatMap(({ before, path, from }) =>
    before.kind === 'object' ? [{ oid: before.oid, path: from ?? path }] : [],
  )
  if (objects.length === 0) return new Map()
  try {
    const repository = await deps.openRepository(folder)
    // Attributes are looked up by names from the top.
    const start = realpathSync.native(folder)
    const nameOf = (path: string): string =>
      relative(repository.top, join(start, relative(folder, path)))
        .split(sep)
        .join('/')
    return await objectContents(
      repository,
      objects.map(({ oid, path }) => ({ oid, name: nameOf(path) })),
    )
  } catch (error) {
    if (error instanceof CodedError && error.code === 'git.untrusted') throw error
    throw new CodedError('request.invalid', `git could not read: ${error instanceof Error ? error.message : 'failed'}`)
  }
}

/** The bytes of a version; undefined if it has none or they are no longer kept. */
export function bytesOf(
  deps: Pick<ReviewDeps, 'blobs' | 'maxBytes'>,
  file: ReviewedFile,
  version: Version,
  contents: ReadonlyMap<string, Buffer>,
): Buffer | undefined {
  if (version.kind === 'link') return Buffer.from(version.target)
  if (version.kind === 'object') return contents.get(version.oid)
  if (version.kind !== 'file') return undefined
  return (
    (sameState(version, file.now) ? currentBytes(deps, file.path, version.hash) : undefined) ??
    deps.blobs.get(version.hash)
  )
}

/** The bytes at a path, if they still match the hash. */
function currentBytes({ maxBytes }: Pick<ReviewDeps, 'maxBytes'>, path: string, hash: string): Buffer | undefined {
  const memory = memoryStore()
  const state = captureFile(path, { keepIn: memory, maxBytes: maxBytes() })
  return state.kind === 'file' && state.hash === hash ? memory.bytes : undefined
}

/** A blob store that keeps content in memory instead of on disk. */
function memoryStore(): BlobStore & { bytes: Buffer | undefined } {
  const store: BlobStore & { bytes: Buffer | undefined } = {
    bytes: undefined,
    put(bytes) {
      store.bytes = Buffer.from(bytes)
      return sha256(store.bytes)
    },
    has: () => false,
    touch: () => false,
    get: () => store.bytes,
  }
  return store
}

/** The current text at a path; empty if the file does not exist. */
export function currentText(deps: Pick<ReviewDeps, 'maxBytes'>, path: string): SideText {
  const memory = memoryStore()
  const state = captureFile(path, { keepIn: memory, maxBytes: deps.maxBytes() })
  return sideText(state.kind === 'link' ? Buffer.from(state.target) : memory.bytes, state)
}

export function sideText(bytes: Buffer | undefined, version: Version): SideText {
  if (version.kind === 'absent') return { text: '', bytes: 0 }
  if (version.kind === 'unkept') return { problem: `It is not compared: ${version.why}.` }
  if (version.kind === 'folder') return { problem: 'It is a folder now.' }
  if (!bytes) return { problem: 'Its content at that time is no longer kept.' }
  const decoded = decodeText(bytes)
  return 'text' in decoded ? { ...decoded, bytes: bytes.length } : { problem: `Not text: ${decoded.notText.reason}.` }
}

function sha256(bytes: Uint8Array): string {
  return hashOf('sha256', bytes, 'hex')
}
