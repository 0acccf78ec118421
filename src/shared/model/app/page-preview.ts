/**
 * What a previewed page and Trestle's page send each other through `postMessage`. The page is not trusted:
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

/** An element that the user clicked to point at it. */
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

/** How a host shows a page: in a frame of Trestle's page, or (desktop) in a view of its own above it. */
export type PreviewSurface = { frameUrl: string } | { isView: true }

/** What a view of its own tells, besides what its page does. */
export type PreviewViewReport =
  | PreviewReport
  /** Commands name it. */
  | { type: 'opened'; viewId: string }
  /** The page could not be loaded, or its process ended; `reason` is for people. */
  | { type: 'failed'; reason: string }
  /** It is loaded after that. */
  | { type: 'loaded' }
  /** The page wanted to lead elsewhere, or to open a window; it may not. */
  | { type: 'refused'; url: string }
  /** The user wants back to Trestle's page. */
  | { type: 'left' }

/** The messages to a view. */
export type PreviewViewCommand = PreviewCommand | { type: 'focus' }

/** Where a view is, in CSS pixels of Trestle's page. */
export interface ViewPlace {
  x: number
  y: number
  width: number
  height: number
  /** The width that the page is laid out for; it is scaled down to fit. */
  pageWidth?: number | undefined
}

/** A picture of the page, PNG or JPEG as base64. */
export interface PagePicture {
  mediaType: string
  data: string
}
