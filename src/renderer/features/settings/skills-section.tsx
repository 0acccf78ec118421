import { Sparkles } from 'lucide-react'
import type { AppInfo } from '../../../shared/contract/app'
import type { SkillView } from '../../../shared/model/skill'
import { useClient } from '../../state/trestle-context'
import { Badge } from '../../ui/badge'
import { EmptyState } from '../../ui/empty-state'
import { FoundSection, SOURCES } from './found-section'

/** The skills the project on screen can use, where they come from, and what is wrong with others. */
export function SkillsSection({ info }: { info: AppInfo | undefined }) {
  const client = useClient()
  return (
    <FoundSection
      info={info}
      kind="skills"
      title="Skills"
      text={(place) => `Reusable instructions available in ${place}. Type / in a message to use one.`}
      load={(folder) => client.skill.list({ folder })}
      rows={({ skills }) => skills.map((skill) => <SkillRow key={skill.path} skill={skill} />)}
      empty={
        <EmptyState icon={<Sparkles aria-hidden />} title="No skills" className="rounded-lg border border-dashed border-line-strong">
          Add a folder with a SKILL.md to .trestle/skills in a project, or to skills in the Trestle home folder.
        </EmptyState>
      }
    />
  )
}

function SkillRow({ skill }: { skill: SkillView }) {
  return (
    <li className="border-t border-line px-3.5 py-2.5 first:border-t-0">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-mono text-ui font-medium wrap-anywhere">/{skill.name}</span>
        <Badge>{SOURCES[skill.source]}</Badge>
        {skill.hiddenBy !== undefined && <Badge tone="wait">Overridden</Badge>}
        {(skill.type !== 'inline' || !skill.modelInvocation) && <Badge tone="run">Manual only</Badge>}
      </p>
      <p className="text-ui text-ink-2">{skill.description}</p>
      {skill.whenToUse !== undefined && <p className="text-small text-ink-3">When: {skill.whenToUse}</p>}
      <p className="font-mono text-tiny wrap-anywhere text-ink-3">{skill.path}</p>
    </li>
  )
}
