import { eventIterator, oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { PagePicture, PreviewSurface, PreviewViewReport } from '../../model/app/page-preview'

const url = z.url().max(2000)
const viewId = z.string().min(1).max(100)
const pixels = z.number().min(-100_000).max(100_000)
const place = z.strictObject({
  x: pixels,
  y: pixels,
  width: pixels,
  height: pixels,
  pageWidth: z.number().min(100).max(10_000).optional(),
})
const command = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('pick'), isOn: z.boolean() }),
  z.strictObject({ type: z.literal('outline') }),
  z.strictObject({ type: z.literal('go'), to: z.enum(['back', 'forward', 'reload']) }),
  z.strictObject({ type: z.literal('open'), path: z.string().startsWith('/').max(2000) }),
  z.strictObject({ type: z.literal('focus') }),
])

/**
 * Pages of servers on this machine, shown beside a conversation. `request.invalid`: not such a server, or a view that
 * is closed.
 */
export const previewContract = {
  /**
   * How the page can show this URL. In a frame: with its own origin, which forwards to the server. In a view (desktop):
   * call `watch`. Null if the host shows no previews.
   */
  open: oc.input(z.strictObject({ url })).output(type<PreviewSurface | null>()),
  /** Desktop only. Opens the URL in a separate view, hidden until `place`, and closes it when the stream ends. */
  watch: oc.input(z.strictObject({ url })).output(eventIterator(type<PreviewViewReport>())),
  /** Shows the view at that position; null hides it and returns its picture as a placeholder. */
  place: oc.input(z.strictObject({ viewId, place: place.nullable() })).output(type<{ picture?: PagePicture }>()),
  /** Results arrive through `watch`. */
  command: oc.input(z.strictObject({ viewId, command })).output(type<void>()),
  /** A picture of what the view shows. */
  capture: oc.input(z.strictObject({ viewId })).output(type<PagePicture>()),
}
