import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState, type ComponentType } from 'react'
import type { SkillText } from '../../../../shared/contract/settings/customize'
import type { EditScope } from '../../../../shared/configuration/customize/rules'
import { t } from '../../../../shared/language/settings-messages'
import { useClient, useQueries } from '../../../state/page/queries'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/overlay/dialog'
import { ChoiceBar, TextAreaField } from '../../../ui/form/choice-fields'
import { TextField } from '../../../ui/form/field'
import { Skeleton } from '../../../ui/loading'
import { EditDialog, ScopeField } from '../edit/edit-dialog'
import type { EditedPlace } from '../edit/use-edits'
import { LoadError } from '../../../ui/load-error'

interface SkillDialogProps {
  /** Undefined: a skill to write. */
  path: string | undefined
  place: EditedPlace
  Markdown: ComponentType<{ text: string; streaming: boolean }>
  onClose: () => void
}

const template = (name: string): string =>
  `---\nname: ${name}\ndescription: What it does, and when to use it.\n---\n\nWrite the instructions here.\n`

/** A SKILL.md to write, edit or read, with a preview and its problems. */
export function SkillDialog(props: SkillDialogProps) {
  const { path, place, onClose } = props
  const queries = useQueries()
  const query = useQuery(
    queries.customize.readSkill.queryOptions({
      input: { folder: place.folder ?? '', path: path ?? '' },
      enabled: path !== undefined,
      retry: false,
      staleTime: Infinity,
      gcTime: 0,
    }),
  )
  const { data, error } = query
  if (path === undefined) return <SkillForm {...props} skill={undefined} />
  if (data) return <SkillForm {...props} skill={data} />
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t('skills.text')}>
      {error ? <LoadError query={query} /> : <Skeleton className="my-4 w-3/5" />}
    </Dialog>
  )
}

function SkillForm({ skill, place, Markdown, onClose }: SkillDialogProps & { skill: SkillText | undefined }) {
  const client = useClient()
  const [name, setName] = useState(skill === undefined ? '' : (skill.path.split('/').at(-2) ?? ''))
  const [written, setText] = useState(skill?.text)
  const [scope, setScope] = useState<EditScope>('user')
  const [view, setView] = useState<'write' | 'preview'>(skill && !skill.canEdit ? 'preview' : 'write')
  const text = written ?? template(name === '' ? 'my-skill' : name)
  const problems = useProblems(name, text)
  const folder = place.folder ?? ''
  const body = text.replace(/^---\n[^]*?\n---\n/, '')
  const fields = (
    <>
      {skill === undefined && (
        <>
          <TextField
            label={t('skills.name')}
            mono
            value={name}
            hint={t('skills.name.hint')}
            onChange={(event) => setName(event.target.value)}
          />
          <SkillScope value={scope} place={place} onChange={setScope} />
        </>
      )}
      <ChoiceBar
        label={t('skills.text')}
        value={view}
        onChange={setView}
        options={[
          { value: 'write', label: t('skills.write') },
          { value: 'preview', label: t('skills.preview') },
        ]}
      />
      {view === 'write' ? (
        <TextAreaField
          label={t('skills.text')}
          mono
          rows={16}
          readOnly={skill !== undefined && !skill.canEdit}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      ) : (
        <div
          role="region"
          aria-label={t('skills.preview')}
          tabIndex={0}
          className="max-h-[420px] overflow-y-auto rounded-md border border-line bg-paper p-4"
        >
          <Markdown text={body} streaming={false} />
        </div>
      )}
      <ul aria-live="polite" aria-label="Problems" className="space-y-0.5">
        {problems.map(({ message, line, isFatal }, at) => (
          <li key={at} className={isFatal ? 'text-small text-fail-ink' : 'text-small text-wait-ink'}>
            {line !== undefined && `Line ${line}: `}
            {message}
          </li>
        ))}
      </ul>
    </>
  )
  if (skill && !skill.canEdit) {
    return (
      <Dialog
        open
        onOpenChange={(open) => !open && onClose()}
        width={720}
        title={t('skills.viewTitle', { name })}
        footer={<Button onClick={onClose}>{t('edit.close')}</Button>}
      >
        <div className="flex flex-col gap-3">{fields}</div>
      </Dialog>
    )
  }
  return (
    <EditDialog
      width={720}
      title={skill ? t('skills.editTitle', { name }) : t('skills.new')}
      canSave={name !== '' && !problems.some(({ isFatal }) => isFatal)}
      saved={skill ? t('skills.saved', { name }) : t('skills.created', { name })}
      save={() =>
        skill
          ? client.customize.saveSkill({ folder, path: skill.path, before: skill.text, text })
          : client.customize.createSkill({ folder, scope, name, text })
      }
      onClose={onClose}
    >
      {fields}
    </EditDialog>
  )
}

/** Skills are only instructions, so they can be saved in an untrusted project. */
function SkillScope({ place, ...props }: Parameters<typeof ScopeField>[0]) {
  return <ScopeField {...props} place={{ ...place, canEditProject: true }} />
}

/** The problems that the engine finds in the text. */
function useProblems(name: string, text: string) {
  const queries = useQueries()
  const input = useDeferredValue({ name: name === '' ? 'my-skill' : name, text })
  const { data = [] } = useQuery(
    queries.customize.checkSkill.queryOptions({
      input,
      placeholderData: keepPreviousData,
      staleTime: Infinity,
      gcTime: 0,
    }),
  )
  return data
}
