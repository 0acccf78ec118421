import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Root } from '@modelcontextprotocol/client'
import type { ServedConnection } from '../connection-hooks'

/** What a server is told of the folders it is used for: those of every session that uses it, each once. */
export function rootsOf(connection: ServedConnection, foldersOf: (sessionId: string) => readonly string[]): Root[] {
  const folders = new Set(connection.sessions().flatMap((sessionId) => foldersOf(sessionId)))
  return [...folders].toSorted().map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) || folder }))
}
