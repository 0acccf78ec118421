import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react'
import type { PagePicture, PreviewViewReport, ViewPlace } from '../../../shared/model/app/page-preview'
import { failureFrom } from '../../client/failure-from'
import { keepSubscribed } from '../../client/subscriptions'
import { useClient } from '../../state/page/queries'
import { showFailureToast, showNoticeToast } from '../../state/page/toasts-state'
import { usePageReports, type PreviewControls, type PreviewHandlers } from './use-page-reports'

/** Points per direction where the area is checked: anything larger than the gaps is noticed. */
const GRID = 6
/** Handles at the edges of a pane reach this far into it. */
const EDGE_PX = 6

/**
 * Reports the position of an element whenever it changes, and null while another element covers it, because a view
 * above the page would hide that element. Returns a function that stops and reports null.
 */
function watchPosition(element: HTMLElement, report: (place: ViewPlace | null) => void): () => void {
  let last: string | undefined
  const look = (): void => {
    const place = isUncovered(element) ? placeOf(element) : null
    const next = JSON.stringify(place)
    if (next !== last) {
      last = next
      report(place)
    }
    frame = requestAnimationFrame(look)
  }
  let frame = requestAnimationFrame(look)
  return () => {
    cancelAnimationFrame(frame)
    report(null)
  }
}

function placeOf(element: HTMLElement): ViewPlace | null {
  const { x, y, width, height } = element.getBoundingClientRect()
  return width < 1 || height < 1 ? null : { x, y, width, height }
}

/** Whether no other element covers it at any point of the grid. */
function isUncovered(element: HTMLElement): boolean {
  const { left, top, width, height } = element.getBoundingClientRect()
  for (let row = 0; row < GRID; row += 1) {
    for (let column = 0; column < GRID; column += 1) {
      const x = left + EDGE_PX + ((width - 2 * EDGE_PX) * column) / (GRID - 1)
      const y = top + EDGE_PX + ((height - 2 * EDGE_PX) * row) / (GRID - 1)
      const found = document.elementFromPoint(x, y)
      // Points outside the window have no element.
      if (found && !element.contains(found)) return false
    }
  }
  return true
}

export interface ViewPreview extends PreviewControls {
  /** The element that the view covers. */
  area: RefObject<HTMLDivElement | null>
  /** Why the page is not shown. */
  problem: string | undefined
  /** A still picture that replaces the page while a part of Trestle's interface covers it. */
  still: PagePicture | undefined
  /** Moves the keyboard focus into the page. */
  enter: () => void
}

/** A previewed page in its own view, which the desktop app places over this page. */
export function useViewPreview(url: string, pageWidth: number | undefined, handlers: PreviewHandlers): ViewPreview {
  const client = useClient()
  const area = useRef<HTMLDivElement>(null)
  const [viewId, setViewId] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [still, setStill] = useState<PagePicture>()
  const { hear, setIsPicking, ...reports } = usePageReports(handlers)
  const receive = useEffectEvent((report: PreviewViewReport) => {
    switch (report.type) {
      case 'opened':
        setViewId(report.viewId)
        break
      case 'failed':
        setProblem(report.reason)
        break
      case 'loaded':
        setProblem(undefined)
        break
      case 'refused':
        showNoticeToast(`The page wanted to open ${report.url.slice(0, 200)}. A preview stays on its server.`, 'info')
        break
      case 'left':
        area.current?.focus()
        break
      default:
        hear(report)
    }
  })
  useEffect(
    () =>
      keepSubscribed<PreviewViewReport>(
        (signal) => client.preview.watch({ url }, { signal }),
        (report) => {
          receive(report)
          return true
        },
        { onFailure: (failure) => setProblem(failure.message) },
      ),
    [client, url],
  )
  const isShown = problem === undefined
  useEffect(() => {
    const { current: element } = area
    if (viewId === undefined || !element) return undefined
    const place = (next: ViewPlace | null): void => {
      client.preview
        .place({ viewId, place: next && { ...next, ...(pageWidth !== undefined && { pageWidth }) } })
        .then(({ picture }) => setStill(next ? undefined : picture))
        // The view was closed with its window, or the next subscription opens a new one.
        .catch(() => {})
    }
    if (isShown) return watchPosition(element, place)
    place(null)
    return undefined
  }, [client, viewId, pageWidth, isShown])
  return {
    ...reports,
    area,
    problem,
    still,
    enter: () => {
      if (viewId !== undefined) client.preview.command({ viewId, command: { type: 'focus' } }).catch(showFailureToast)
    },
    send(command) {
      if (viewId === undefined) return
      if (command.type === 'pick') setIsPicking(command.isOn)
      client.preview.command({ viewId, command }).catch(showFailureToast)
    },
    async capture() {
      if (viewId === undefined) throw new Error('The page is not open yet.')
      return client.preview.capture({ viewId }).catch((error: unknown) => {
        throw new Error(failureFrom(error).message, { cause: error })
      })
    },
  }
}
