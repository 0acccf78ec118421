import type { ServerToolsCost } from '../../../shared/model/tools-view'
import { kilobytes } from '../../state/kilobytes'

/** What the schemas of servers' tools take of each request, and what they would take otherwise. */
export function ServerToolsPart({ cost }: { cost: ServerToolsCost }) {
  const { tools, sent, isSearching, bytesAll, bytesSent } = cost
  return (
    <section aria-label="MCP tools">
      <h2 className="text-tiny font-semibold text-ink-2">MCP tools</h2>
      <dl className="mt-1 text-ui tabular-nums">
        <Line name={isSearching ? 'In each request, with tool search' : 'In each request'} value={kilobytes(bytesSent)} />
        {isSearching && <Line name="Without it" value={kilobytes(bytesAll)} />}
      </dl>
      <p className="mt-1 text-tiny text-ink-3">
        {isSearching
          ? `${sent.toLocaleString()} of ${tools.toLocaleString()} tools are sent in full, the others are listed until they are asked for.`
          : `${tools === 1 ? 'The schema of 1 tool' : `The schemas of ${tools.toLocaleString()} tools`}. Tool search, in the settings, sends them when they are asked for.`}
      </p>
    </section>
  )
}

function Line({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex items-center gap-2 py-[3px]">
      <dt className="min-w-0 flex-1 text-ink-2">{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
