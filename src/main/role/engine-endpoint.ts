import { existsSync, lstatSync } from 'node:fs'
import type { Socket } from 'node:net'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { CodedError } from '../../shared/errors'
import { dial, homeEndpoint, type HomeEndpoint } from '../engine/process/home-endpoint'

const KEY_FILE = 'engine.key'

/** Where the engine of a home listens, and the key that it shares with its clients. Creates what is missing. */
export function engineEndpoint(home: string): HomeEndpoint {
  return homeEndpoint({ home, tokenFile: KEY_FILE, kind: 'e', code: 'engine.unavailable' })
}

/** Connects to the engine of this home; undefined if none listens. Creates nothing if the home never had one. */
export async function dialEngine(home: string): Promise<{ socket: Socket; key: string; path: string } | undefined> {
  if (!existsSync(join(home, 'run', KEY_FILE))) return undefined
  const endpoint = engineEndpoint(home)
  const newest = endpoint.newest()
  if (!newest) return undefined
  assertOurs(newest.path)
  const socket = await dial(newest.path)
  return socket && { socket, key: endpoint.token, path: newest.path }
}

/** The owner of the socket could read what is sent to it. Its folder is checked with the endpoint. */
function assertOurs(path: string): void {
  if (process.platform === 'win32') return
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found && found.uid !== userInfo().uid)
    throw new CodedError('engine.foreign', `${path} in ${dirname(path)} belongs to another user.`)
}
