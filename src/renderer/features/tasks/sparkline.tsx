import { memo } from 'react'
import { USAGE_SECONDS } from '../../state/task-usage'

const WIDTH = 64
const HEIGHT = 16
/** A whole core fills the height; busier tasks scale to their own peak. */
const FULL = 100

/** CPU of the last minute as one line. What it says is also there as a number. */
export const Sparkline = memo(function Sparkline({ values }: { values: readonly number[] }) {
  return (
    <svg aria-hidden viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} className="flex-none overflow-visible text-run">
      {values.length > 1 && <path d={path(values)} fill="none" stroke="currentColor" strokeWidth="1.2" strokeLinejoin="round" />}
    </svg>
  )
})

function path(values: readonly number[]): string {
  const peak = Math.max(FULL, ...values)
  const step = WIDTH / (USAGE_SECONDS - 1)
  const start = WIDTH - (values.length - 1) * step
  return values
    .map((value, n) => `${n === 0 ? 'M' : 'L'}${(start + n * step).toFixed(1)} ${(HEIGHT - 1 - (value / peak) * (HEIGHT - 2)).toFixed(1)}`)
    .join('')
}
