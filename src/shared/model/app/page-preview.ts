/**
 * The messages between a previewed page and Trestle's page through `postMessage`. The page is not trusted: everything
 * it sends is text that the user sees before anything is done with it.
 */
export const PREVIEW_CHANNEL = 'trestle-preview'

/** From the previewed page. */
export type PreviewReport =
  | { type: 'at'; url: string; title: string }
  /** It printed an error or a warning, or an exception was thrown. */
  | { type: 'console'; level: 'error' | 'warning'; text: string }
  | { type: 'picked'; element: PickedElement }
  /** Escape was pressed while an element should be picked. */
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
  /** `file:line` of the component that created it, if its framework provides that. */
  source?: string
}

/** To the previewed page. */
export type PreviewCommand =
  | { type: 'pick'; isOn: boolean }
  | { type: 'outline' }
  | { type: 'go'; to: 'back' | 'forward' | 'reload' }
  | { type: 'open'; path: string }

/** How a host shows a page: in a frame of Trestle's page, or (desktop) in a separate view above it. */
export type PreviewSurface = { frameUrl: string } | { isView: true }

/** Reports of a separate view, in addition to those of its page. */
export type PreviewViewReport =
  | PreviewReport
  /** Commands use this id. */
  | { type: 'opened'; viewId: string }
  /** The page could not be loaded, or its process ended; `reason` is for people. */
  | { type: 'failed'; reason: string }
  /** The page has loaded. */
  | { type: 'loaded' }
  /** Navigation to another origin, or a new window, was blocked. */
  | { type: 'refused'; url: string }
  /** The user wants to return to Trestle's page. */
  | { type: 'left' }

/** The messages to a view. */
export type PreviewViewCommand = PreviewCommand | { type: 'focus' }

/** The position of a view, in CSS pixels of Trestle's page. */
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
