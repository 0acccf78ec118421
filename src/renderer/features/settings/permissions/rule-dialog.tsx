import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import {
  RULE_DECISIONS,
  type EditScope,
  type RuleDecision,
  type RuleView,
} from '../../../../shared/configuration/rules'
import { t } from '../../../../shared/language/settings-messages'
import { useClient, useQueries } from '../../../state/page/queries'
import { RadioList } from '../../../ui/form/choice-fields'
import { TextField } from '../../../ui/form/field'
import { Switch } from '../../../ui/form/settings-controls'
import { EditDialog, ScopeField } from '../edit/edit-dialog'
import type { EditedPlace } from '../edit/use-edits'

interface RuleDialogProps {
  /** Undefined: a new rule. */
  rule: RuleView | undefined
  place: EditedPlace
  onClose: () => void
}

/** A rule to write or change; says while typing what it would do. */
export function RuleDialog({ rule, place, onClose }: RuleDialogProps) {
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
