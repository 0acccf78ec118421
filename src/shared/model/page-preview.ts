/**
 * What a previewed page tells Trestle's page, and what it is told, through `postMessage`. The page is not trusted:
 * everything it sends is text that the user sees before anything is done with it.
 */
export const PREVIEW_CHANNEL = 'trestle-preview'

/** From the previewed page. */
export type PreviewReport =
  | { type: 'at'; url: string; title: string }
  /** It printed an error or a warning, or one was thrown. */
  | { type: 'console'; level: 'error' | 'warning'; text: string }
  | { type: 'picked'; element: PickedElement }
  /** Escape was pressed while an element was to be picked. */
  | { type: 'pick-ended' }
  | { type: 'outline'; text: string }

/** An element that the user clicked to show what is meant. */
export interface PickedElement {
  selector: string
  /** Its text, shortened. */
  text: string
  /** Its own markup, without most of its content. */
  markup: string
  width: number
  height: number
  /** `file:line` of the component that made it, where its framework tells. */
  source?: string
}

/** To the previewed page. */
export type PreviewCommand =
  | { type: 'pick'; isOn: boolean }
  | { type: 'outline' }
  | { type: 'go'; to: 'back' | 'forward' | 'reload' }
  | { type: 'open'; path: string }
