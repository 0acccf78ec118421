import { useQuery } from '@tanstack/react-query'
import { RefreshCw, Sparkles } from 'lucide-react'
import type { AppInfo } from '../../../shared/contract/app'
import type { SkillList, SkillProblem, SkillView } from '../../../shared/model/skill'
import { failureFrom } from '../../client/failure-from'
import { folderName } from '../../state/folder-name'
import { useLayout } from '../../state/layout-state'
import { useSessions } from '../../state/sessions-state'
import { useClient } from '../../state/trestle-context'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { ErrorNote } from '../../ui/error-note'
import { Skeleton } from '../../ui/skeleton'
import { SectionHead } from '../../ui/section-head'

const SOURCES = { project: 'this project', user: 'your own', 'built-in': 'comes with Trestle' } as const

/** The skills the project on screen can use, where they come from, and what is wrong with others. */
export function SkillsSection({ info }: { info: AppInfo | undefined }) {
  const client = useClient()
  const lastSessionId = useLayout((layout) => layout.lastSessionId)
  const folder =
    useSessions((state) => (lastSessionId === undefined ? undefined : state.sessions.get(lastSessionId)?.folder)) ?? info?.userHome
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['skills', folder],
    queryFn: () => client.skill.list({ folder: folder ?? '' }),
    enabled: folder !== undefined,
  })
  return (
    <section aria-labelledby="settings-skills">
      <SectionHead
        id="settings-skills"
        title="Skills"
        text={`Ways of working the agent can load, as found from ${folder === undefined ? 'here' : folderName(folder, info?.userHome).name}. Type / in a message to use one yourself.`}
      >
        <Button icon={<RefreshCw aria-hidden />} busy={isFetching} onClick={() => void refetch()}>
          Look again
        </Button>
      </SectionHead>
      {data ? <Found list={data} /> : error ? <ErrorNote failure={failureFrom(error)} /> : <Skeleton className="h-16 w-full rounded-lg" />}
    </section>
  )
}

function Found({ list }: { list: SkillList }) {
  return (
    <>
      {list.skills.length === 0 ? (
        <EmptyState icon={<Sparkles aria-hidden />} title="No skills here" className="rounded-lg border border-dashed border-line-strong">
          A skill is a folder with a SKILL.md, in .trestle/skills of a project or in skills of Trestle’s home.
        </EmptyState>
      ) : (
        <ul className="overflow-hidden rounded-lg border border-line bg-raised">
          {list.skills.map((skill) => (
            <SkillRow key={skill.path} skill={skill} />
          ))}
        </ul>
      )}
      {list.problems.length > 0 && (
        <>
          <h3 className="mt-6 mb-2 font-semibold">Problems</h3>
          <ul className="overflow-hidden rounded-lg border border-line bg-raised">
            {list.problems.map((problem, n) => (
              <ProblemRow key={n} problem={problem} />
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function SkillRow({ skill }: { skill: SkillView }) {
  return (
    <li className="border-t border-line px-3.5 py-2.5 first:border-t-0">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-mono text-ui font-medium wrap-anywhere">/{skill.name}</span>
        <Badge>{SOURCES[skill.source]}</Badge>
        {skill.hiddenBy !== undefined && <Badge tone="wait">hidden by a nearer one</Badge>}
        {(skill.type !== 'inline' || !skill.modelInvocation) && <Badge tone="run">only by you</Badge>}
      </p>
      <p className="text-ui text-ink-2">{skill.description}</p>
      {skill.whenToUse !== undefined && <p className="text-small text-ink-3">When: {skill.whenToUse}</p>}
      <p className="font-mono text-tiny wrap-anywhere text-ink-3">{skill.path}</p>
    </li>
  )
}

function ProblemRow({ problem }: { problem: SkillProblem }) {
  return (
    <li className="border-t border-line px-3.5 py-2.5 first:border-t-0">
      <p className="flex flex-wrap items-center gap-2 text-ui">
        <Badge tone={problem.isFatal ? 'fail' : 'wait'}>{problem.isFatal ? 'left out' : 'note'}</Badge>
        <span className="wrap-anywhere">{problem.message}</span>
      </p>
      <p className="font-mono text-tiny wrap-anywhere text-ink-3">
        {problem.path}
        {problem.line !== undefined && `:${problem.line}`}
      </p>
    </li>
  )
}
