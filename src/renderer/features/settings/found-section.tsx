import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AppInfo } from '../../../shared/contract/app'
import { failureFrom } from '../../client/failure-from'
import { folderName } from '../../state/folder-name'
import { useLayout } from '../../state/layout-state'
import { useSessions } from '../../state/sessions-state'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ErrorNote } from '../../ui/error-note'
import { SectionHead } from '../../ui/section-head'
import { Skeleton } from '../../ui/skeleton'

/** Where something was found, in words. */
export const SOURCES = { project: 'Project', user: 'Personal', 'built-in': 'Built-in' } as const

/** What is wrong with a file. `isFatal`: what is in it is left out; default true. */
interface FoundProblem {
  path: string
  line?: number
  message: string
  isFatal?: boolean
}

interface FoundSectionProps<List extends { problems: readonly FoundProblem[] }> {
  info: AppInfo | undefined
  /** Names it among the queries, and for screen readers. */
  kind: string
  title: string
  /** What it is about; `place` is the project it was looked for from. */
  text: (place: string) => string
  load: (folder: string) => Promise<List>
  /** One list item each. */
  rows: (list: List) => ReactNode[]
  /** In place of no rows. */
  empty: ReactNode
}

/** What files of the project on screen, the user's home and Trestle itself bring along, and what is wrong with some of them. */
export function FoundSection<List extends { problems: readonly FoundProblem[] }>(props: FoundSectionProps<List>) {
  const { info, kind, title, text, load } = props
  const lastSessionId = useLayout((layout) => layout.lastSessionId)
  const folder =
    useSessions((state) => (lastSessionId === undefined ? undefined : state.sessions.get(lastSessionId)?.folder)) ?? info?.userHome
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: [kind, folder],
    queryFn: () => load(folder ?? ''),
    enabled: folder !== undefined,
  })
  const id = `settings-${kind}`
  return (
    <section aria-labelledby={id}>
      <SectionHead id={id} title={title} text={text(folder === undefined ? 'here' : folderName(folder, info?.userHome).name)}>
        <Button icon={<RefreshCw aria-hidden />} busy={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
      </SectionHead>
      {data ? (
        <Found rows={props.rows(data)} problems={data.problems} empty={props.empty} />
      ) : error ? (
        <ErrorNote failure={failureFrom(error)} />
      ) : (
        <Skeleton className="h-16 w-full rounded-lg" />
      )}
    </section>
  )
}

function Found({ rows, problems, empty }: { rows: ReactNode[]; problems: readonly FoundProblem[]; empty: ReactNode }) {
  return (
    <>
      {rows.length === 0 ? empty : <ul className="overflow-hidden rounded-lg border border-line bg-raised">{rows}</ul>}
      {problems.length > 0 && (
        <>
          <h3 className="mt-6 mb-2 font-semibold">Problems</h3>
          <ul className="overflow-hidden rounded-lg border border-line bg-raised">
            {problems.map((problem, n) => (
              <ProblemRow key={n} problem={problem} />
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function ProblemRow({ problem: { path, line, message, isFatal = true } }: { problem: FoundProblem }) {
  return (
    <li className="border-t border-line px-3.5 py-2.5 first:border-t-0">
      <p className="flex flex-wrap items-center gap-2 text-ui">
        <Badge tone={isFatal ? 'fail' : 'wait'}>{isFatal ? 'Excluded' : 'Note'}</Badge>
        <span className="wrap-anywhere">{message}</span>
      </p>
      <p className="font-mono text-tiny wrap-anywhere text-ink-3">
        {path}
        {line !== undefined && `:${line}`}
      </p>
    </li>
  )
}
