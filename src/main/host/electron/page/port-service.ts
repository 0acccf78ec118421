import type { IpcMainEvent, WebContents } from 'electron'
import { APP_ORIGIN, PORT_GRANTED, PORT_WANTED } from '../../../../shared/contract/page-host'
import { type RpcServer, servePort } from '../../../api/server/rpc-server'
import type { ElectronModule } from '../platform/electron-module'

export interface PortService {
  /**
   * Starts serving pages; waiting ones get their ports immediately. Undefined: the contents do not belong to one of our
   * windows.
   */
  start(serverFor: (contents: WebContents) => RpcServer | undefined): void
  /** Disconnects this window's page, e.g. because its process has ended. */
  disconnect(contents: WebContents): void
  /** Disconnects all pages; later requests wait until `begin` is called again. */
  pause(): void
  /** Disconnects all pages and rejects later requests. */
  close(): void
}

export interface PortServiceOptions {
  electron: Pick<ElectronModule, 'ipcMain' | 'MessageChannelMain'>
  /** Whether these are the contents of one of our own windows. */
  isOurs(contents: WebContents): boolean
  log(message: string): void
}

/**
 * Grants a MessagePort to a page that requests one, if it is the top frame of one of our windows and has our origin;
 * ignores all others. A page has one port: a new request (after a reload) closes the previous one. Requests before the
 * engine is ready wait.
 */
export function servePorts({ electron, isOurs, log }: PortServiceOptions): PortService {
  const hangUps = new Map<WebContents, () => void>()
  const waiting = new Set<WebContents>()
  let serverFor: ((contents: WebContents) => RpcServer | undefined) | undefined

  const hear = (event: IpcMainEvent): void => {
    const contents = event.sender
    // Null when the frame has navigated or was removed.
    const frame = event.senderFrame
    if (
      !frame ||
      !isOurs(contents) ||
      frame.parent !== null ||
      frame !== contents.mainFrame ||
      frame.origin !== APP_ORIGIN
    ) {
      log(`a port was refused to ${frame?.url.slice(0, 200) ?? 'a frame that is gone'}`)
      return
    }
    if (serverFor) grant(contents, serverFor)
    else waiting.add(contents)
  }
  const grant = (contents: WebContents, find: NonNullable<typeof serverFor>): void => {
    hangUps.get(contents)?.()
    // The window may have been closed or navigated in the meantime.
    if (contents.isDestroyed() || contents.mainFrame.origin !== APP_ORIGIN) return
    const server = find(contents)
    if (!server) return
    const { port1, port2 } = new electron.MessageChannelMain()
    const hangUp = servePort(server, port1, {
      onClose: () => {
        if (hangUps.get(contents) === hangUp) hangUps.delete(contents)
      },
    })
    hangUps.set(contents, hangUp)
    contents.mainFrame.postMessage(PORT_GRANTED, null, [port2])
  }
  const pause = (): void => {
    serverFor = undefined
    for (const hangUp of hangUps.values()) hangUp()
  }
  electron.ipcMain.on(PORT_WANTED, hear)
  return {
    start(find) {
      serverFor = find
      for (const contents of waiting) grant(contents, find)
      waiting.clear()
    },
    disconnect(contents) {
      waiting.delete(contents)
      hangUps.get(contents)?.()
    },
    pause,
    close() {
      electron.ipcMain.removeListener(PORT_WANTED, hear)
      waiting.clear()
      pause()
    },
  }
}
