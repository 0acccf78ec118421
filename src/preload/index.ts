import { contextBridge, ipcRenderer, webUtils } from 'electron'
import { DESKTOP_BRIDGE, PORT_GRANTED, PORT_WANTED } from '../shared/contract/page-host'

// Only requests a MessagePort for the page and returns the path of a dropped file; nothing else of Electron or Node is
// exposed. The main process decides whether the frame gets a port (src/main/host/electron/page/port-service.ts).
window.addEventListener('message', (event) => {
  if (event.source === window && event.data === PORT_WANTED) ipcRenderer.postMessage(PORT_WANTED, null)
})

ipcRenderer.on(PORT_GRANTED, (event) => {
  window.postMessage(PORT_GRANTED, location.origin, event.ports)
})

contextBridge.exposeInMainWorld(DESKTOP_BRIDGE, { pathOf: (file: File) => webUtils.getPathForFile(file) })
