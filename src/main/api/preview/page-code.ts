import script from './page-script.js?raw'
import tools from './page-tools.js?raw'

/** page-tools.js as a function expression. */
const TOOLS = tools.slice(tools.indexOf('(say) =>')).trim()

/** The script that is inserted into each page in a frame. */
export const FRAME_SCRIPT = `(() => {\nconst pageTools = ${TOOLS}\n${script}\n})()`

/** Where a page in its own view keeps the tools between two calls. */
const KEPT = `(window[Symbol.for('trestle.preview')] ??= (() => {
  const kept = { done: undefined }
  kept.tools = (${TOOLS})((report) => kept.done?.(report.type === 'picked' ? report.element : null))
  return kept
})())`

/** Runs in a page: resolves with the element that the user clicks, or null. */
export const PICK_CODE = `new Promise((resolve) => {
  const kept = ${KEPT}
  kept.done?.(null)
  kept.done = resolve
  kept.tools.pick(true)
})`

/** Runs in a page: ends picking. */
export const STOP_PICKING_CODE = `(() => { const kept = ${KEPT}; kept.tools.pick(false); kept.done?.(null) })()`

/** Runs in a page: returns its text. */
export const OUTLINE_CODE = `${KEPT}.tools.outlined()`
