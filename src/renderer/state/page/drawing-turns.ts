import { FrameQueue } from './frame-queue'

const HIDDEN_FRAME_MS = 200

/** Updates are shown session by session: sessions that stream at the same time take turns. */
const frames = new FrameQueue({
  onFrame,
  // React renders store changes in a separate microtask, which the change queues.
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
