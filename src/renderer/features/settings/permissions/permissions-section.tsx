import { useQuery, keepPreviousData } from '@tanstack/react-query'
import { Plus, ShieldCheck } from 'lucide-react'
import { useState, useDeferredValue } from 'react'
import {
  type RuleList,
  type RuleView,
  RULE_DECISIONS,
  type EditScope,
  type RuleDecision,
} from '../../../../shared/configuration/customize/rules'
import type { AppInfo } from '../../../../shared/contract/app/app'
import { t } from '../../../../shared/language/settings-messages'
import { shortPath } from '../../../format/folder-name'
import { useClient, useQueries } from '../../../state/page/queries'
import { Badge, type Tone } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { SectionHead, Switch } from '../../../ui/form/settings-controls'
import { Skeleton } from '../../../ui/loading'
import { EmptyState } from '../../../ui/notice'
import { RowMenu } from '../edit/row-menu'
import { useEdits, useEditedPlace, type EditedPlace } from '../edit/use-edits'
import { RuleTester } from './rule-tester'
import { RadioList } from '../../../ui/form/choice-fields'
import { TextField } from '../../../ui/form/field'
import { EditDialog, ScopeField } from '../edit/edit-dialog'
import { LoadError } from '../../../ui/load-error'

const TONES: Record<RuleView['decision'], Tone> = { allow: 'done', ask: 'wait', deny: 'fail' }

/** The permission rules for a project: to test, add, edit, reorder and delete. */
export function PermissionsSection({ info }: { info: AppInfo | undefined }) {
  const queries = useQueries()
  const place = useEditedPlace(info)
  const [edited, setEdited] = useState<RuleView | 'new'>()
  const query = useQuery(
    queries.rule.list.queryOptions({ input: { folder: place.folder ?? '' }, enabled: place.folder !== undefined }),
  )
  const { data, error } = query
  return (
    <section aria-labelledby="settings-permissions">
      <SectionHead id="settings-permissions" title={t('rules.title')} text={t('rules.text', { place: place.name })}>
        <Button icon={<Plus aria-hidden />} onClick={() => setEdited('new')}>
          {t('rules.add')}
        </Button>
      </SectionHead>
      {data ? (
        <Rules list={data} place={place} onEdit={setEdited} />
      ) : error ? (
        <LoadError query={query} />
      ) : (
        <Skeleton className="h-16 w-full rounded-lg" />
      )}
      <RuleTester place={place} />
      {edited && (
        <RuleDialog rule={edited === 'new' ? undefined : edited} place={place} onClose={() => setEdited(undefined)} />
      )}
    </section>
  )
}

interface RulesProps {
  list: RuleList
  place: EditedPlace
  onEdit: (rule: RuleView) => void
}

function Rules({ list, place, onEdit }: RulesProps) {
  if (list.rules.length === 0) {
    return (
      <EmptyState
        icon={<ShieldCheck aria-hidden />}
        title={t('rules.none')}
        className="rounded-lg border border-dashed border-line-strong"
      >
        {t('rules.noneHint')}
      </EmptyState>
    )
  }
  const groups = [
    { title: t('rules.yours'), rules: list.rules.filter(({ scope }) => scope === 'user') },
    { title: t('rules.projects', { name: place.name }), rules: list.rules.filter(({ scope }) => scope === 'project') },
  ].filter(({ rules }) => rules.length > 0)
  return (
    <div className="space-y-4">
      {groups.map(({ title, rules }) => (
        <div key={title}>
          <h3 className="mb-1.5 text-small font-semibold text-ink-2">{title}</h3>
          <ul aria-label={title} className="overflow-hidden rounded-lg border border-line bg-raised">
            {rules.map((rule, at) => (
              <RuleRow
                key={`${rule.decision} ${rule.pattern} ${rule.index}`}
                rule={rule}
                place={place}
                before={rules[at - 1]}
                after={rules[at + 1]}
                onEdit={() => onEdit(rule)}
              />
            ))}
          </ul>
        </div>
      ))}
    </div>
  )
}

interface RuleRowProps {
  rule: RuleView
  place: EditedPlace
  before: RuleView | undefined
  after: RuleView | undefined
  onEdit: () => void
}

function RuleRow({ rule, place, before, after, onEdit }: RuleRowProps) {
  const client = useClient()
  const edits = useEdits()
  const folder = place.folder ?? ''
  const { scope, index, decision, pattern } = rule
  const at = { scope, index, decision, pattern }
  const name = `${t(`rules.${decision}`)} ${pattern}`
  const canEdit = !rule.isOff && (rule.scope === 'user' || place.canEditProject === true)
  const move = (to: number | undefined) =>
    to === undefined ? undefined : () => edits.run(t('rules.moved'), client.rule.move({ folder, place: at, to }))
  return (
    <li className="flex items-start gap-2 border-t border-line px-3.5 py-2.5 first:border-t-0">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={TONES[decision]}>{t(`rules.${decision}`)}</Badge>
          <code className="font-mono text-ui wrap-anywhere">{pattern}</code>
          {rule.isOff && <Badge tone="wait">{t('edit.notTrusted')}</Badge>}
        </p>
        <p className={rule.mistake === undefined ? 'text-ui text-ink-2' : 'text-ui text-fail-ink'}>
          {rule.mistake ?? rule.explanation}
        </p>
        <p className="font-mono text-tiny wrap-anywhere text-ink-3">
          {shortPath(rule.file, place.userHome)}
          {rule.line !== undefined && `:${rule.line}`}
        </p>
      </div>
      {canEdit && (
        <div className="flex flex-none items-center gap-1">
          <Button size="small" aria-label={`${t('edit.edit')}: ${name}`} onClick={onEdit}>
            {t('edit.edit')}
          </Button>
          <RowMenu
            name={name}
            onMoveUp={move(before?.index)}
            onMoveDown={move(after?.index)}
            onDelete={() => edits.run(t('rules.removed'), client.rule.remove({ folder, place: at }))}
          />
        </div>
      )}
    </li>
  )
}

interface RuleDialogProps {
  /** Undefined: a new rule. */
  rule: RuleView | undefined
  place: EditedPlace
  onClose: () => void
}

/** The form for a new or existing rule; says while the user types what the rule would do. */
function RuleDialog({ rule, place, onClose }: RuleDialogProps) {
  const client = useClient()
  const queries = useQueries()
  const [decision, setDecision] = useState<RuleDecision>(rule?.decision ?? 'allow')
  const [pattern, setPattern] = useState(rule?.pattern ?? '')
  const [scope, setScope] = useState<EditScope>(rule?.scope ?? 'user')
  const [isUnrestricted, setUnrestricted] = useState(rule?.sandbox === 'unrestricted')
  const isCommand = /^Bash\b/.test(pattern.trim())
  const written = {
    decision,
    pattern: pattern.trim(),
    ...(isUnrestricted && decision === 'allow' && isCommand && { sandbox: 'unrestricted' as const }),
  }
  const asked = useDeferredValue(written)
  const { data: meaning } = useQuery(
    queries.rule.explain.queryOptions({
      input: asked,
      enabled: asked.pattern !== '',
      placeholderData: keepPreviousData,
      staleTime: Infinity,
    }),
  )
  const folder = place.folder ?? ''
  const mistake = meaning && 'mistake' in meaning && pattern.trim() !== '' ? meaning.mistake : undefined
  return (
    <EditDialog
      title={rule ? t('rules.editTitle') : t('rules.add')}
      action={rule ? t('edit.save') : t('edit.add')}
      canSave={pattern.trim() !== ''}
      saved={rule ? t('rules.saved') : t('rules.added')}
      save={() => {
        if (!rule) return client.rule.add({ folder, scope, rule: written })
        const { scope: at, index, decision: was, pattern: old } = rule
        return client.rule.change({
          folder,
          place: { scope: at, index, decision: was, pattern: old },
          rule: written,
        })
      }}
      onClose={onClose}
    >
      <RadioList
        label={t('rules.decision')}
        value={decision}
        onChange={setDecision}
        options={RULE_DECISIONS.map((value) => ({
          value,
          label: t(`rules.${value}`),
          description: t(`rules.${value}.about`),
        }))}
      />
      <TextField
        label={t('rules.pattern')}
        mono
        value={pattern}
        placeholder="Bash(npm run *)"
        error={mistake}
        hint={
          meaning && 'explanation' in meaning && pattern.trim() !== '' ? meaning.explanation : t('rules.pattern.hint')
        }
        onChange={(event) => setPattern(event.target.value)}
      />
      {decision === 'allow' && isCommand && (
        <Switch
          label={t('rules.unrestricted')}
          description={t('rules.unrestricted.about')}
          checked={isUnrestricted}
          onChange={setUnrestricted}
        />
      )}
      {!rule && <ScopeField value={scope} place={place} onChange={setScope} />}
    </EditDialog>
  )
}
