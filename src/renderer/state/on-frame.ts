const HIDDEN_FRAME_MS = 200

/** Calls back at the next frame, or soon when the page is hidden (then there are no frames). Returns how to cancel. */
export function onFrame(callback: () => void): () => void {
  let done = false
  const run = (): void => {
    if (done) return
    cancel()
    callback()
  }
  const frame = requestAnimationFrame(run)
  // A page that is hidden, or hidden in the meantime, draws no frames.
  const timer = setTimeout(run, HIDDEN_FRAME_MS)
  const cancel = (): void => {
    done = true
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
  return cancel
}
