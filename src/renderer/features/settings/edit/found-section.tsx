import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { failureFrom } from '../../../client/failure-from'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { SectionHead } from '../../../ui/form/settings-controls'
import { Skeleton } from '../../../ui/loading'
import { ErrorNote } from '../../../ui/notice'
import type { EditedPlace } from './use-edits'

/** The label of a source. */
export const SOURCES = { project: 'Project', user: 'Personal', plugin: 'Plugin', 'built-in': 'Built-in' } as const

/** A problem in a file. `isFatal`: its content is excluded; default true. */
interface FoundProblem {
  path: string
  line?: number
  message: string
  isFatal?: boolean
}

interface FoundSectionProps<List extends { problems: readonly FoundProblem[] }> {
  place: EditedPlace
  /** Identifies it in queries, and for screen readers. */
  kind: string
  title: string
  /** The description; `place` is the project. */
  text: (place: string) => string
  load: (folder: string) => Promise<List>
  /** One list item each. */
  rows: (list: List) => ReactNode[]
  /** Shown when there are no rows. */
  empty: ReactNode
  /** Its main button. */
  action: ReactNode
  /** A button for a file that is excluded, to correct it. */
  renderFix?: (path: string) => ReactNode
  /** Dialogs. */
  children?: ReactNode
}

/** Entries from files of the current project, the user's home and Trestle itself, with their problems. */
export function FoundSection<List extends { problems: readonly FoundProblem[] }>(props: FoundSectionProps<List>) {
  const { place, kind, title, text, load } = props
  const { folder } = place
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: [kind, folder],
    queryFn: () => load(folder ?? ''),
    enabled: folder !== undefined,
  })
  const id = `settings-${kind}`
  return (
    <section aria-labelledby={id}>
      <SectionHead id={id} title={title} text={text(folder === undefined ? 'here' : place.name)}>
        <Button icon={<RefreshCw aria-hidden />} busy={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
        {props.action}
      </SectionHead>
      {data ? (
        <Found rows={props.rows(data)} problems={data.problems} empty={props.empty} renderFix={props.renderFix} />
      ) : error ? (
        <ErrorNote failure={failureFrom(error)} />
      ) : (
        <Skeleton className="h-16 w-full rounded-lg" />
      )}
      {props.children}
    </section>
  )
}

interface FoundProps {
  rows: ReactNode[]
  problems: readonly FoundProblem[]
  empty: ReactNode
  renderFix: ((path: string) => ReactNode) | undefined
}

function Found({ rows, problems, empty, renderFix }: FoundProps) {
  return (
    <>
      {rows.length === 0 ? empty : <ul className="overflow-hidden rounded-lg border border-line bg-raised">{rows}</ul>}
      {problems.length > 0 && (
        <>
          <h3 className="mt-6 mb-2 font-semibold">Problems</h3>
          <ul className="overflow-hidden rounded-lg border border-line bg-raised">
            {problems.map((problem, n) => (
              <ProblemRow key={n} problem={problem} fix={renderFix?.(problem.path)} />
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function ProblemRow({
  problem: { path, line, message, isFatal = true },
  fix,
}: {
  problem: FoundProblem
  fix: ReactNode
}) {
  return (
    <li className="border-t border-line px-3.5 py-2.5 first:border-t-0">
      <p className="flex flex-wrap items-center gap-2 text-ui">
        <Badge tone={isFatal ? 'fail' : 'wait'}>{isFatal ? 'Excluded' : 'Note'}</Badge>
        <span className="min-w-0 flex-1 wrap-anywhere">{message}</span>
        {isFatal && fix}
      </p>
      <p className="font-mono text-tiny wrap-anywhere text-ink-3">
        {path}
        {line !== undefined && `:${line}`}
      </p>
    </li>
  )
}
