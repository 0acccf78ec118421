import { contextBridge, ipcRenderer, webUtils } from 'electron'
import { DESKTOP_BRIDGE, PORT_GRANTED, PORT_WANTED } from '../shared/contract/page-host'

// All this does is to fetch a MessagePort for the page, and to say where a file lies that the user has dropped on it: nothing else of Electron or Node
// is shown to it. The main process decides whether the frame gets a port (src/main/host/electron/page/port-service.ts).
window.addEventListener('message', (event) => {
  if (event.source === window && event.data === PORT_WANTED) ipcRenderer.postMessage(PORT_WANTED, null)
})

ipcRenderer.on(PORT_GRANTED, (event) => {
  window.postMessage(PORT_GRANTED, location.origin, event.ports)
})

contextBridge.exposeInMainWorld(DESKTOP_BRIDGE, { pathOf: (file: File) => webUtils.getPathForFile(file) })
