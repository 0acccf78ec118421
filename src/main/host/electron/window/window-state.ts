import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Rectangle } from 'electron'
import { z } from 'zod'

/** A window's position, size (in device-independent pixels) and route. */
export interface WindowState {
  bounds: { width: number; height: number; x?: number; y?: number }
  isMaximized: boolean
  /** The route of the page, e.g. `/s/<session>`; absent: the page's last route. */
  path?: string
}

/** The current state of a window, for saving. */
export interface StoredWindow {
  bounds: Rectangle
  isMaximized: boolean
  path?: string
}

export const DEFAULT_STATE: WindowState = { bounds: { width: 1280, height: 840 }, isMaximized: false }
const MIN_WIDTH = 640
const MIN_HEIGHT = 420
/** Maximum windows reopened. */
const MAX_WINDOWS = 12
/** Minimum part of the window's top edge, in pixels, that must be on a display so that the window can be dragged. */
const MIN_VISIBLE = { width: 120, height: 32 }

const whole = z.number().min(-1e6).max(1e6).transform(Math.round)
const stored = z.object({
  x: whole,
  y: whole,
  width: whole,
  height: whole,
  maximized: z.boolean(),
  path: z.string().startsWith('/').max(5000).optional(),
})
const file = z.union([
  z.object({ windows: z.array(stored).min(1) }),
  stored.transform((window) => ({ windows: [window] })),
])

/**
 * The saved windows, adjusted to the current displays: no larger than the display, and at the saved position only if it
 * can be reached there. A missing or damaged file gives one default window.
 */
export function readWindowStates(path: string, workAreas: readonly Rectangle[]): WindowState[] {
  try {
    const { windows } = file.parse(JSON.parse(readFileSync(path, 'utf8')))
    return windows.slice(0, MAX_WINDOWS).map((window) => fitted(window, workAreas))
  } catch {
    return [DEFAULT_STATE]
  }
}

function fitted(raw: z.infer<typeof stored>, workAreas: readonly Rectangle[]): WindowState {
  const area = workAreas.find((candidate) => isReachable(raw, candidate))
  const largest = area ?? workAreas[0]
  const width = clamp(raw.width, MIN_WIDTH, largest?.width ?? raw.width)
  const height = clamp(raw.height, MIN_HEIGHT, largest?.height ?? raw.height)
  return {
    // Without a position the system centers it.
    bounds: area ? { x: raw.x, y: raw.y, width, height } : { width, height },
    isMaximized: raw.maximized,
    ...(raw.path !== undefined && { path: raw.path }),
  }
}

/** Writes the windows atomically. Errors are ignored: the next start then uses the default position. */
export function writeWindowStates(path: string, windows: readonly StoredWindow[]): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    const list = windows.map(({ bounds: { x, y, width, height }, isMaximized, path: address }) => {
      return { x, y, width, height, maximized: isMaximized, ...(address !== undefined && { path: address }) }
    })
    writeFileSync(`${path}.new`, `${JSON.stringify({ windows: list })}\n`)
    renameSync(`${path}.new`, path)
  } catch {
    // The next start uses the default position.
  }
}

/** A position for another window: slightly below and to the right of an existing one, if the display has room. */
export function cascaded(bounds: Rectangle, workAreas: readonly Rectangle[]): WindowState['bounds'] {
  const next = { ...bounds, x: bounds.x + MIN_VISIBLE.height, y: bounds.y + MIN_VISIBLE.height }
  return workAreas.some((area) => isReachable(next, area)) ? next : { width: bounds.width, height: bounds.height }
}

function isReachable(window: Rectangle, area: Rectangle): boolean {
  const overlap = Math.min(window.x + window.width, area.x + area.width) - Math.max(window.x, area.x)
  return overlap >= MIN_VISIBLE.width && window.y >= area.y && window.y + MIN_VISIBLE.height <= area.y + area.height
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most))
}
