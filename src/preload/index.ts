import { ipcRenderer } from 'electron'
import { PORT_GRANTED, PORT_WANTED } from '../shared/contract/port-wire'

// All this ever does is to fetch a MessagePort for the page: nothing of Electron or Node is shown to it. The main process decides whether the
// frame gets one (src/main/host/electron/port-service.ts).
window.addEventListener('message', (event) => {
  if (event.source === window && event.data === PORT_WANTED) ipcRenderer.postMessage(PORT_WANTED, null)
})

ipcRenderer.on(PORT_GRANTED, (event) => {
  window.postMessage(PORT_GRANTED, location.origin, event.ports)
})
