import { useState, type KeyboardEvent } from 'react'
import type { UsageRow } from '../../../shared/model/turn/usage'
import { formatTokens } from '../../format/model-usage'
import { cx } from '../../ui/cx'
import { costText, dayText } from './usage-text'

export type Measure = 'cost' | 'tokens'

const HEIGHT = 140

/** A bar for each day. Arrow keys move between days; the selected one is announced. */
export function UsageChart({ days, measure }: { days: readonly UsageRow[]; measure: Measure }) {
  const [chosen, setChosen] = useState(days.length - 1)
  const at = Math.min(chosen, days.length - 1)
  const value = (row: UsageRow): number => (measure === 'cost' ? row.cost : row.input + row.output)
  const top = Math.max(...days.map(value), 0)
  const day = days[at]
  if (!day) return null
  const text =
    `${dayText(day.key)}: ${costText(day)}, ${formatTokens(day.input + day.output)} tokens, ` +
    (day.requests === 1 ? '1 request' : `${day.requests} requests`)
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: days.length - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    setChosen(Math.max(0, Math.min(days.length - 1, next)))
  }
  return (
    <figure className="rounded-lg border border-line bg-raised p-3.5">
      <div
        role="slider"
        tabIndex={0}
        aria-label={measure === 'cost' ? 'Cost by day' : 'Tokens by day'}
        aria-valuemin={1}
        aria-valuemax={days.length}
        aria-valuenow={at + 1}
        aria-valuetext={text}
        onKeyDown={onKeyDown}
        className="rounded-[4px]"
      >
        <svg
          aria-hidden
          viewBox={`0 0 ${days.length * 10} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="block h-[140px] w-full"
        >
          {[0.25, 0.5, 0.75].map((share) => (
            <line
              key={share}
              x1={0}
              x2={days.length * 10}
              y1={HEIGHT * share}
              y2={HEIGHT * share}
              className="stroke-line"
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {days.map((row, index) => {
            const height = top === 0 ? 0 : Math.max(value(row) === 0 ? 0 : 2, (value(row) / top) * (HEIGHT - 6))
            return (
              <g key={row.key} onPointerEnter={() => setChosen(index)}>
                <rect x={index * 10} y={0} width={10} height={HEIGHT} className="fill-transparent" />
                <rect
                  x={index * 10 + 1.5}
                  y={HEIGHT - height}
                  width={7}
                  height={height}
                  className={cx('forced-color-adjust-none', index === at ? 'fill-ink' : 'fill-run')}
                />
              </g>
            )
          })}
          <line
            x1={0}
            x2={days.length * 10}
            y1={HEIGHT}
            y2={HEIGHT}
            className="stroke-line-strong"
            vectorEffect="non-scaling-stroke"
          />
        </svg>
      </div>
      <figcaption className="mt-2 flex flex-wrap gap-x-3 text-small text-ink-3 tabular-nums">
        <span>{dayText(days[0]!.key)}</span>
        <span className="min-w-0 flex-1 text-center text-ink">{text}</span>
        <span>{dayText(days.at(-1)!.key)}</span>
      </figcaption>
    </figure>
  )
}
