import { CodedError } from '../../../shared/errors'
import type { PreviewViewReport } from '../../../shared/model/app/page-preview'
import { type ApiDeps, type Implementer, type PreviewViews, toRpcError } from '../implementer'
import { ThrottledQueue } from '../push/task-push-queue'

/** Maximum reports kept for a page that does not read them; the oldest are dropped. */
const MAX_REPORTS = 200

export function previewHandlers(os: Implementer, { host, logBug }: ApiDeps) {
  const views = (): PreviewViews => {
    if (!host.previewViews)
      throw new CodedError('request.invalid', 'This host shows previews in frames, or not at all; call preview.open.')
    return host.previewViews
  }
  return {
    open: os.preview.open.handler(({ input }) =>
      host.previewViews ? { isView: true as const } : (host.preview?.(input.url) ?? null),
    ),
    watch: os.preview.watch.handler(({ input, signal }) => {
      const queue = new ThrottledQueue<PreviewViewReport>({ ...(signal && { signal }) })
      let reports: PreviewViewReport[] = []
      const close = views().open(input.url, (report) => {
        reports = [...reports, report].slice(-MAX_REPORTS)
        queue.wake()
      })
      queue.onEnd(close)
      return queue.iterator(
        () => reports.shift(),
        (error) => toRpcError(error, logBug, 'preview.watch'),
      )
    }),
    place: os.preview.place.handler(async ({ input }) => {
      const picture = await views().place(input.viewId, input.place)
      return picture ? { picture } : {}
    }),
    command: os.preview.command.handler(({ input }) => views().command(input.viewId, input.command)),
    capture: os.preview.capture.handler(({ input }) => views().capture(input.viewId)),
  }
}
