import type { OpenCarrier } from './connection'

/** A MessagePort as both the browser and Node have it. */
export interface ClientPort {
  postMessage(message: unknown): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  addEventListener(type: 'close', listener: () => void): void
  start(): void
  close(): void
}

/**
 * The wire of the desktop app. Every message read is acknowledged by its number, because a port itself never tells the
 * sender that its reader is slow (main/api/serve-port.ts).
 */
export function portCarrier(requestPort: () => Promise<ClientPort>): OpenCarrier {
  return (events) => {
    let port: ClientPort | undefined
    let post: ((message: unknown) => void) | undefined
    let isClosed = false
    const lose = (): void => {
      if (isClosed) return
      isClosed = true
      events.closed(false)
    }
    const take = async (): Promise<void> => {
      const granted = await requestPort()
      if (isClosed) {
        granted.close()
        return
      }
      port = granted
      const send = granted.postMessage.bind(granted)
      post = send
      granted.addEventListener('message', ({ data }) => {
        if (isClosed) return
        send(1)
        if (typeof data === 'string') events.message(data)
      })
      granted.addEventListener('close', lose)
      granted.start()
      events.ready()
    }
    take().catch(lose)
    return {
      send: (message) => post?.(message),
      close() {
        isClosed = true
        port?.close()
      },
    }
  }
}
