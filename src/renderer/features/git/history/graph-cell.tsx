import type { GraphRow } from '../../../../shared/model/project/commit-graph'

const WIDTH = 12
const HEIGHT = 28
const MIDDLE = HEIGHT / 2
/** Colors of lanes, from the tokens that do not signal a problem. */
const COLORS = ['var(--run)', 'var(--done)', 'var(--wait)', 'var(--ink-3)']

const x = (lane: number): number => lane * WIDTH + WIDTH / 2
const color = (lane: number): string => COLORS[lane % COLORS.length]!

/** The part of the graph that belongs to one commit. */
export function GraphCell({ row: { lane, through, into, out }, lanes }: { row: GraphRow; lanes: number }) {
  const width = lanes * WIDTH
  return (
    <svg aria-hidden width={width} height={HEIGHT} className="flex-none overflow-hidden">
      {through.map((at) => (
        <path key={`t${at}`} d={`M${x(at)} 0V${HEIGHT}`} stroke={color(at)} strokeWidth={1.5} fill="none" />
      ))}
      {into.map((at) => (
        <path key={`i${at}`} d={curve(x(at), 0, x(lane), MIDDLE)} stroke={color(at)} strokeWidth={1.5} fill="none" />
      ))}
      {out.map((at) => (
        <path
          key={`o${at}`}
          d={curve(x(lane), MIDDLE, x(at), HEIGHT)}
          stroke={color(at)}
          strokeWidth={1.5}
          fill="none"
        />
      ))}
      <circle cx={x(Math.min(lane, lanes - 1))} cy={MIDDLE} r={3.5} fill={color(lane)} />
    </svg>
  )
}

function curve(fromX: number, fromY: number, toX: number, toY: number): string {
  if (fromX === toX) return `M${fromX} ${fromY}V${toY}`
  const bend = (fromY + toY) / 2
  return `M${fromX} ${fromY}C${fromX} ${bend} ${toX} ${bend} ${toX} ${toY}`
}
