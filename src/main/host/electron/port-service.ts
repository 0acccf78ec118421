import type { IpcMainEvent, WebContents } from 'electron'
import { APP_ORIGIN, PORT_GRANTED, PORT_WANTED } from '../../../shared/contract/port-wire'
import type { RpcServer } from '../../api/rpc-server'
import { servePort } from '../../api/serve-port'
import type { ElectronModule } from './electron-module'

export interface PortService {
  /** Hangs up on this window's page, e.g. because its process is gone. */
  hangUp(contents: WebContents): void
  /** Hangs up on everybody and grants nothing any more. */
  close(): void
}

export interface PortServiceOptions {
  electron: Pick<ElectronModule, 'ipcMain' | 'MessageChannelMain'>
  server: RpcServer
  /** Whether these are the contents of one of our own windows. */
  isOurs(contents: WebContents): boolean
  log(message: string): void
}

/**
 * Hands a MessagePort to the page that asks, if it is the top frame of one of our windows and shows our own origin; says nothing to anybody else.
 * A page has one port: asking again (after a reload) ends the one before.
 */
export function servePorts({ electron, server, isOurs, log }: PortServiceOptions): PortService {
  const hangUps = new Map<WebContents, () => void>()
  const grant = (event: IpcMainEvent): void => {
    const contents = event.sender
    // Null when the frame has navigated or is gone.
    const frame = event.senderFrame
    if (!frame || !isOurs(contents) || frame.parent !== null || frame !== contents.mainFrame || frame.origin !== APP_ORIGIN) {
      log(`a port was refused to ${frame?.url.slice(0, 200) ?? 'a frame that is gone'}`)
      return
    }
    hangUps.get(contents)?.()
    const { port1, port2 } = new electron.MessageChannelMain()
    const hangUp = servePort(server, port1, {
      onClose: () => {
        if (hangUps.get(contents) === hangUp) hangUps.delete(contents)
      },
    })
    hangUps.set(contents, hangUp)
    frame.postMessage(PORT_GRANTED, null, [port2])
  }
  electron.ipcMain.on(PORT_WANTED, grant)
  return {
    hangUp: (contents) => hangUps.get(contents)?.(),
    close() {
      electron.ipcMain.removeListener(PORT_WANTED, grant)
      for (const hangUp of hangUps.values()) hangUp()
    },
  }
}
