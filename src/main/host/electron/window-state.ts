import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Rectangle } from 'electron'
import { z } from 'zod'

/** Where the window was and how large, in device-independent pixels. */
export interface WindowState {
  bounds: { width: number; height: number; x?: number; y?: number }
  isMaximized: boolean
}

const DEFAULT_STATE: WindowState = { bounds: { width: 1280, height: 840 }, isMaximized: false }
const LEAST_WIDTH = 640
const LEAST_HEIGHT = 420
/** So much of the window's top edge must be on a display for a hand to get hold of it. */
const GRIP = { width: 120, height: 32 }

const whole = z.number().min(-1e6).max(1e6).transform(Math.round)
const stored = z.object({ x: whole, y: whole, width: whole, height: whole, maximized: z.boolean() })

/**
 * The stored state, made to fit the displays there are now: no larger than the display, and at its old place only if it can be
 * reached there. A missing or damaged file gives the default.
 */
export function readWindowState(file: string, workAreas: readonly Rectangle[]): WindowState {
  let raw: z.infer<typeof stored>
  try {
    raw = stored.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return DEFAULT_STATE
  }
  const area = workAreas.find((candidate) => isReachable(raw, candidate))
  const largest = area ?? workAreas[0]
  const width = clamp(raw.width, LEAST_WIDTH, largest?.width ?? raw.width)
  const height = clamp(raw.height, LEAST_HEIGHT, largest?.height ?? raw.height)
  // Without a place the system centres it.
  return { bounds: area ? { x: raw.x, y: raw.y, width, height } : { width, height }, isMaximized: raw.maximized }
}

/** Writes the state, whole or not at all. Failing is not worth telling: the next window opens at the default place. */
export function writeWindowState(file: string, bounds: Rectangle, isMaximized: boolean): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    const { x, y, width, height } = bounds
    writeFileSync(`${file}.new`, `${JSON.stringify({ x, y, width, height, maximized: isMaximized })}\n`)
    renameSync(`${file}.new`, file)
  } catch {
    // As the docstring says.
  }
}

function isReachable(window: Rectangle, area: Rectangle): boolean {
  const overlap = Math.min(window.x + window.width, area.x + area.width) - Math.max(window.x, area.x)
  return overlap >= GRIP.width && window.y >= area.y && window.y + GRIP.height <= area.y + area.height
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most))
}
