import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react'
import type { PagePicture, PreviewViewReport, ViewPlace } from '../../../shared/model/page-preview'
import { failureFrom } from '../../client/failure-from'
import { keepSubscribed } from '../../client/subscriptions'
import { useClient } from '../../state/page/queries'
import { showFailureToast, showNoticeToast } from '../../state/page/toasts-state'
import { usePageReports, type PreviewControls, type PreviewHandlers } from './use-page-reports'
import { watchPlace } from './view-place'

export interface ViewPreview extends PreviewControls {
  /** The element that the view lies over. */
  area: RefObject<HTMLDivElement | null>
  /** Why the page is not shown. */
  problem: string | undefined
  /** What stands in for the page while something of Trestle's page lies over its place. */
  still: PagePicture | undefined
  /** Puts the keyboard into the page. */
  enter: () => void
}

/** A previewed page in a view of its own, which the desktop app lays over this page. */
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
        // The view is gone with its window, or will be there again with the next one.
        .catch(() => {})
    }
    if (isShown) return watchPlace(element, place)
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
