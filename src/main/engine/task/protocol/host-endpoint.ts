import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { homeEndpoint, type HomeEndpoint } from '../../process/home-endpoint'
import { PROTOCOL } from './task-protocol'

const TOKEN_FILE = 'task-host.token'

/**
 * Where the task host of a home listens; hosts with different protocol versions have separate endpoints. Creates what
 * is missing. Throws CodedError `task.host_unavailable` if there is no safe location.
 */
export function hostEndpoint(home: string): HomeEndpoint {
  return homeEndpoint({ home, tokenFile: TOKEN_FILE, kind: String(PROTOCOL), code: 'task.host_unavailable' })
}

/** Whether this home ever had a host; creates nothing. */
export function hasHostEndpoint(home: string): boolean {
  return existsSync(join(home, 'run', TOKEN_FILE))
}

export interface HostSocket {
  socket: Socket
  token: string
}
