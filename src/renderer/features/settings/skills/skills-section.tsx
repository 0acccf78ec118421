import { useQueryClient } from '@tanstack/react-query'
import { Plus, Sparkles } from 'lucide-react'
import { useState, type ComponentType } from 'react'
import type { SkillView } from '../../../../shared/configuration/customize/customizations'
import type { AppInfo } from '../../../../shared/contract/app/app'
import { t } from '../../../../shared/language/settings-messages'
import { useClient } from '../../../state/page/queries'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Switch } from '../../../ui/form/settings-controls'
import { EmptyState } from '../../../ui/notice'
import { FoundSection, SOURCES } from '../edit/found-section'
import { RowMenu } from '../edit/row-menu'
import { useEdits, useEditedPlace, type EditedPlace } from '../edit/use-edits'
import { SkillDialog } from './skill-dialog'

interface SkillsSectionProps {
  info: AppInfo | undefined
  /** Shows Markdown. */
  Markdown: ComponentType<{ text: string; streaming: boolean }>
}

/** The skills available in the current project: to write, change, turn off and delete. */
export function SkillsSection({ info, Markdown }: SkillsSectionProps) {
  const client = useClient()
  const place = useEditedPlace(info)
  /** The path of the skill in the dialog; `new`: one to write. */
  const [opened, setOpened] = useState<{ path: string } | 'new'>()
  return (
    <FoundSection
      place={place}
      kind="skills"
      title={t('settings.section.skills')}
      text={(name) => `Reusable instructions available in ${name}. Type / in a message to use one.`}
      load={(folder) => client.customize.skills({ folder })}
      rows={({ skills }) =>
        skills.map((skill) => (
          <SkillRow key={skill.path} skill={skill} place={place} onOpen={() => setOpened({ path: skill.path })} />
        ))
      }
      action={
        <Button icon={<Plus aria-hidden />} onClick={() => setOpened('new')}>
          {t('skills.new')}
        </Button>
      }
      renderFix={(path) => (
        <Button size="small" aria-label={`${t('edit.edit')}: ${path}`} onClick={() => setOpened({ path })}>
          {t('edit.edit')}
        </Button>
      )}
      empty={
        <EmptyState
          icon={<Sparkles aria-hidden />}
          title="No skills"
          className="rounded-lg border border-dashed border-line-strong"
        >
          Add a folder with a SKILL.md to .trestle/skills in a project, or to skills in the Trestle home folder.
        </EmptyState>
      }
    >
      {opened && (
        <SkillDialog
          path={opened === 'new' ? undefined : opened.path}
          place={place}
          Markdown={Markdown}
          onClose={() => setOpened(undefined)}
        />
      )}
    </FoundSection>
  )
}

interface SkillRowProps {
  skill: SkillView
  place: EditedPlace
  onOpen: () => void
}

function SkillRow({ skill, place, onOpen }: SkillRowProps) {
  const client = useClient()
  const queryClient = useQueryClient()
  const edits = useEdits()
  const { name, source, path } = skill
  const canEdit = source === 'user' || source === 'project'
  const setEnabled = (enabled: boolean): void => {
    edits.run(
      enabled ? t('skills.on', { name }) : t('skills.off', { name }),
      client.customize.setSkillEnabled({ name, enabled }),
    )
    void queryClient.invalidateQueries({ queryKey: ['skills'] })
  }
  return (
    <li className="flex items-start gap-2 border-t border-line px-3.5 py-2.5 first:border-t-0">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-mono text-ui font-medium wrap-anywhere">/{name}</span>
          <Badge>{SOURCES[source]}</Badge>
          {skill.isOff && <Badge tone="wait">{t('edit.off')}</Badge>}
          {skill.hiddenBy !== undefined && <Badge tone="wait">Overridden</Badge>}
          {(skill.type !== 'inline' || !skill.modelInvocation) && <Badge tone="run">Manual only</Badge>}
        </p>
        <p className="text-ui text-ink-2">{skill.description}</p>
        {skill.whenToUse !== undefined && <p className="text-small text-ink-3">When: {skill.whenToUse}</p>}
        <p className="font-mono text-tiny wrap-anywhere text-ink-3">{path}</p>
      </div>
      <div className="flex flex-none items-center gap-1">
        {source !== 'plugin' && (
          <Button size="small" aria-label={`${canEdit ? t('edit.edit') : t('skills.view')}: /${name}`} onClick={onOpen}>
            {canEdit ? t('edit.edit') : t('skills.view')}
          </Button>
        )}
        <Switch
          className="mx-1"
          label={<span className="sr-only">{t('skills.enabled', { name })}</span>}
          checked={!skill.isOff}
          onChange={setEnabled}
        />
        {canEdit && (
          <RowMenu
            name={`/${name}`}
            onDelete={() =>
              edits.run(
                t('skills.removed', { name }),
                client.customize.removeSkill({ folder: place.folder ?? '', path }),
              )
            }
          />
        )}
      </div>
    </li>
  )
}
