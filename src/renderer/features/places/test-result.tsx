import { Check, X } from 'lucide-react'
import type { PlaceFacts, PlaceTest } from '../../../shared/model/place/place'

const STEPS = { connect: 'Connection', program: 'Trestle there', engine: 'Engine' } as const

/** Every step of a test, with the reason if one failed, and what was found on the machine. */
export function TestResult({ test }: { test: PlaceTest }) {
  const { steps, facts, roundTripMs } = test
  return (
    <div role="status" className="mt-2 w-full rounded-md border border-line bg-paper px-3 py-2 text-small">
      <ul aria-label="Steps of the test" className="space-y-1">
        {steps.map(({ step, ok, text, advice }) => (
          <li key={step} className="flex gap-2">
            {ok ? (
              <Check aria-hidden className="mt-[3px] size-[13px] flex-none text-done-ink" />
            ) : (
              <X aria-hidden className="mt-[3px] size-[13px] flex-none text-fail-ink" />
            )}
            <span className="min-w-0 wrap-anywhere">
              <span className="font-medium">
                {STEPS[step]}
                <span className="sr-only">{ok ? ': passed' : ': failed'}</span>
              </span>
              <span className={ok ? 'text-ink-2' : 'text-fail-ink'}>{` ${text}`}</span>
              {!ok && advice !== undefined && <span className="block text-ink-2">{advice}</span>}
            </span>
          </li>
        ))}
      </ul>
      {facts && <Machine facts={facts} roundTripMs={roundTripMs} />}
    </div>
  )
}

function Machine({ facts, roundTripMs }: { facts: PlaceFacts; roundTripMs: number | undefined }) {
  const { system, arch, cores, load, memoryFreeBytes, diskFreeBytes, installed } = facts
  const rows: [string, string][] = [
    ['System', `${system} ${arch}${facts.libc ? `, ${facts.libc}` : ''}`],
    ...(load === undefined
      ? []
      : [['Load', `${load}${cores === undefined ? '' : ` on ${cores} cores`}`] as [string, string]]),
    ...(memoryFreeBytes === undefined ? [] : [['Memory', `${gigabytes(memoryFreeBytes)} free`] as [string, string]]),
    ...(diskFreeBytes === undefined ? [] : [['Disk', `${gigabytes(diskFreeBytes)} free`] as [string, string]]),
    ...(roundTripMs === undefined ? [] : [['A call', `${roundTripMs} ms`] as [string, string]]),
    ...installed.map(({ hash, version, bytes, isCurrent }): [string, string] => [
      hash.startsWith('node-') ? 'Node' : 'Trestle',
      `${version}, ${Math.round(bytes / 1e6).toLocaleString()} MB${isCurrent ? '' : ', older'}`,
    ]),
  ]
  return (
    <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 border-t border-line pt-2">
      {rows.map(([name, value], index) => (
        <div key={index} className="contents">
          <dt className="text-ink-3">{name}</dt>
          <dd className="min-w-0 wrap-anywhere tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toLocaleString(undefined, { maximumFractionDigits: 1 })} GB`
}
