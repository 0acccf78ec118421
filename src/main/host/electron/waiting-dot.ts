import type { NativeImage } from 'electron'
import type { ElectronModule } from './electron-module'

/** An amber dot on nothing, 32 x 32 as PNG: Windows shrinks it to the corner of the taskbar icon. */
const DOT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAAAy0lEQVR42s2XwQ2GIAxGnYARuhMrMAun3ruCs7BCZ+gMxP8CCTGYyI/QHt7FSL4XqdAejHBoMrrAMwIxQmIEYYRckPKMyjufCjhGiCXkeomUNW5WIAwG90TCvwI0EXyHRgXOD8Mr51sBWhD++CV6e34tJjwJuMmCGylM1xOIG8IrsScgGwXkLuA3hld8K0AKAtQKJAWB1AqIgoC0AllBIJsSUN8C9SJU/w3VDyL1o9jEZaR+Has3JCZaMhNNqYm23MRgYmI0MzGcLuUH/k3EMYEKJ8EAAAAASUVORK5CYII='

/** What the taskbar shows when something waits for a person. */
export function waitingDot(nativeImage: ElectronModule['nativeImage']): NativeImage {
  return nativeImage.createFromDataURL(DOT)
}
