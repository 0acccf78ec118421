import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '../../../shared/model/errors'
import { writePrivateFile } from '../../engine/config/write-private-file'
import { startWebHost, type WebHost, type WebHostOptions } from './web-host'

const FILE = 'web-port'

/**
 * Starts the web host where it was the last time, if it can be had: to a browser another port is another page, which knows nothing of the theme, the
 * drafts and the session that were open.
 */
export async function startOnUsualPort(options: Omit<WebHostOptions, 'port'>): Promise<WebHost> {
  const file = join(options.engine.home, FILE)
  const usual = readPort(file)
  if (usual !== undefined) {
    try {
      return await startWebHost({ ...options, port: usual })
    } catch (error) {
      // Another Trestle has it, or another program: this time any other will do, and the usual one stays what it is.
      if (!(error instanceof CodedError) || error.code !== 'host.port') throw error
      return startWebHost(options)
    }
  }
  const host = await startWebHost(options)
  try {
    writePrivateFile(file, `${host.port}\n`)
  } catch {
    // It is a convenience; the next start takes another port.
  }
  return host
}

function readPort(file: string): number | undefined {
  try {
    const port = Number(readFileSync(file, 'utf8'))
    return Number.isInteger(port) && port >= 1024 && port <= 65_535 ? port : undefined
  } catch {
    return undefined
  }
}
