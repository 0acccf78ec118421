import type { IpcMainEvent, WebContents } from 'electron'
import { APP_ORIGIN, PORT_GRANTED, PORT_WANTED } from '../../../../shared/contract/page-host'
import { type RpcServer, servePort } from '../../../api/rpc-server'
import type { ElectronModule } from '../platform/electron-module'

export interface PortService {
  /** From now on pages are served; those that have asked already get their ports at once. Undefined: these are not the contents of a window of ours. */
  start(serverFor: (contents: WebContents) => RpcServer | undefined): void
  /** Hangs up on this window's page, e.g. because its process is gone. */
  disconnect(contents: WebContents): void
  /** Hangs up on everybody, and lets pages wait until `begin` is called again. */
  pause(): void
  /** Hangs up on everybody and grants nothing from here on. */
  close(): void
}

export interface PortServiceOptions {
  electron: Pick<ElectronModule, 'ipcMain' | 'MessageChannelMain'>
  /** Whether these are the contents of one of our own windows. */
  isOurs(contents: WebContents): boolean
  log(message: string): void
}

/**
 * Hands a MessagePort to the page that asks, if it is the top frame of one of our windows and shows our own origin; says nothing to anybody else.
 * A page has one port: asking again (after a reload) ends the one before. Pages may ask before the engine is there: they wait.
 */
export function servePorts({ electron, isOurs, log }: PortServiceOptions): PortService {
  const hangUps = new Map<WebContents, () => void>()
  const waiting = new Set<WebContents>()
  let serverFor: ((contents: WebContents) => RpcServer | undefined) | undefined

  const hear = (event: IpcMainEvent): void => {
    const contents = event.sender
    // Null when the frame has navigated or is gone.
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
    // While it waited its window may have been closed, or shows something else.
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
