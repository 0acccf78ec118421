/** The terminal of every task, in cells. */
const TASK_COLUMNS = 200
const TASK_ROWS = 50

/** How much of the task's terminal a view must have. `lines`: lines of text, which may be wrapped anywhere; `columns`: lines that are redrawn, which wrapping would break; `screen`: a whole screen that is drawn on. */
export type Drawing = 'lines' | 'columns' | 'screen'

const ESC = '\\u001b'
const SCREEN = new RegExp(`${ESC}\\[(?:\\?(?:1049|1047|47)h|\\d*;?\\d*[Hf])`)
const COLUMNS = new RegExp(`\\r(?![\\n\\r])|${ESC}\\[\\d*[AF]`)

/** What a view must have after this text; it never gets less. */
export function drawingAfter(before: Drawing, text: string): Drawing {
  if (before === 'screen' || SCREEN.test(text)) return 'screen'
  return before === 'columns' || COLUMNS.test(text) ? 'columns' : 'lines'
}

/** The size of a view with room for so many cells. */
export function viewSize(drawing: Drawing, room: { cols: number; rows: number }): { cols: number; rows: number } {
  return {
    cols: drawing === 'lines' ? Math.min(TASK_COLUMNS, Math.max(20, room.cols)) : TASK_COLUMNS,
    rows: drawing === 'screen' ? TASK_ROWS : Math.max(2, room.rows),
  }
}
