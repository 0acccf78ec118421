import { FrameQueue } from './frame-queue'

const HIDDEN_FRAME_MS = 200

/** What sessions have received is shown session by session: several that stream take turns. */
const frames = new FrameQueue({
  onFrame,
  // React renders what a store has changed in a microtask of its own, which is queued by the change.
  afterRender: (callback) => queueMicrotask(callback),
  now: () => performance.now(),
})

/**
 * Calls back at the next frame, or soon when the page is hidden (then there are no frames). Returns the cancel
 * function.
 */
export function onFrame(callback: () => void): () => void {
  let done = false
  const run = (): void => {
    if (done) return
    cancel()
    callback()
  }
  const frame = requestAnimationFrame(run)
  // A page that is hidden, or becomes hidden, draws no frames.
  const timer = setTimeout(run, HIDDEN_FRAME_MS)
  const cancel = (): void => {
    done = true
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
  return cancel
}

/** Calls back in a frame in which nothing else of this queue is drawn. Returns the cancel function. */
export function onDrawingTurn(callback: () => void): () => void {
  return frames.add(callback)
}
