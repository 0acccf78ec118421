import { SOCKET_PATH, APP_HOST, PORT_GRANTED, PORT_WANTED } from '../../shared/contract/page-host'
import { connect } from './connect'
import type { Connection } from './connection'
import { dropTabToken, keepPageToken, takePageToken, takePairingCode } from './page-token'
import { portTransport, type OpenSocket, webSocketTransport } from './transports'

/** Timeout for the desktop app to hand over a port, in ms; after that, the port is requested again. */
const PORT_TIMEOUT = 5000

/**
 * The connection of this page: a MessagePort in the desktop app, a WebSocket to the host that served the page
 * everywhere else.
 */
export function connectPage(): Connection {
  // The web host accepts only loopback names, so this name belongs to the desktop app alone.
  if (location.hostname === APP_HOST) return connect(portTransport(requestPort))
  const url = new URL(SOCKET_PATH, location.href)
  url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:'
  takePairingCode()
  // Without a token the host refuses the connection, and the page shows that.
  const token = takePageToken() ?? 'none'
  const connection = connect(webSocketTransport(openBrowserSocket, url.href, token), { onWake })
  const stop = connection.state.subscribe(() => {
    const { status, failure } = connection.state.get()
    if (status === 'open') keepPageToken(token)
    else if (failure?.code === 'connection.refused') dropTabToken()
    else return
    stop()
  })
  return connection
}

function onWake(wake: () => void): () => void {
  const whenVisible = (): void => {
    if (document.visibilityState === 'visible') wake()
  }
  window.addEventListener('online', wake)
  document.addEventListener('visibilitychange', whenVisible)
  return () => {
    window.removeEventListener('online', wake)
    document.removeEventListener('visibilitychange', whenVisible)
  }
}

const openBrowserSocket: OpenSocket = (url, protocols, events) => {
  const socket = new WebSocket(url, protocols)
  socket.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (typeof event.data === 'string') events.message(event.data)
  })
  socket.addEventListener('close', (event) => events.closed(event.code))
  return socket
}

/** Asks the preload script for a port; it answers with a message of this window that carries it. */
function requestPort(): Promise<MessagePort> {
  return new Promise((resolve, reject) => {
    const finish = (outcome: () => void): void => {
      clearTimeout(timer)
      window.removeEventListener('message', hear)
      outcome()
    }
    const hear = (event: MessageEvent<unknown>): void => {
      const port = event.ports[0]
      if (event.source !== window || event.data !== PORT_GRANTED || !port) return
      finish(() => resolve(port))
    }
    const timer = setTimeout(() => finish(() => reject(new Error('the desktop app handed over no port'))), PORT_TIMEOUT)
    window.addEventListener('message', hear)
    window.postMessage(PORT_WANTED, location.origin)
  })
}
