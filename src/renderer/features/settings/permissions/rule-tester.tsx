import { useMutation } from '@tanstack/react-query'
import { CircleCheck, CircleHelp, CircleX } from 'lucide-react'
import { useState } from 'react'
import {
  TESTED_TOOLS,
  type MatchedRule,
  type RuleDecision,
  type RuleTest,
  type TestedPart,
  type TestedTool,
} from '../../../../shared/configuration/customize/rules'
import { MODE_NAMES } from '../../../../shared/configuration/sandbox-text'
import { t } from '../../../../shared/language/settings-messages'
import { SESSION_MODES, type SessionMode } from '../../../../shared/model/approval/approval'
import { failureFrom } from '../../../client/failure-from'
import { shortPath } from '../../../format/folder-name'
import { useClient } from '../../../state/page/queries'
import { Badge, type Tone } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { SelectField } from '../../../ui/form/choice-fields'
import { TextField } from '../../../ui/form/field'
import { ErrorNote } from '../../../ui/notice'
import type { EditedPlace } from '../edit/use-edits'

type Kind = 'command' | TestedTool

const TONES: Record<RuleDecision, Tone> = { allow: 'done', ask: 'wait', deny: 'fail' }
const ICONS = { allow: CircleCheck, ask: CircleHelp, deny: CircleX }

/** Shows how a command or a path would be decided in a mode, part by part. */
export function RuleTester({ place }: { place: EditedPlace }) {
  const client = useClient()
  const [kind, setKind] = useState<Kind>('command')
  const [text, setText] = useState('')
  const [mode, setMode] = useState<SessionMode>('ask')
  const test = useMutation({
    mutationFn: () => {
      const call = kind === 'command' ? { command: text } : { tool: kind, target: text }
      return client.rule.test({ folder: place.folder ?? '', mode, call })
    },
  })
  /** Changes what is tested: the earlier result is not about it. */
  const change = (set: () => void): void => {
    set()
    test.reset()
  }
  const input =
    kind === 'command'
      ? t('rules.test.input.command')
      : kind === 'FetchURL'
        ? t('rules.test.input.address')
        : t('rules.test.input.path')
  return (
    <section aria-labelledby="settings-rule-test" className="mt-7">
      <h3 id="settings-rule-test" className="font-semibold">
        {t('rules.test')}
      </h3>
      <p className="mb-2.5 text-ui text-ink-3">{t('rules.test.text')}</p>
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() !== '' && place.folder !== undefined) test.mutate()
        }}
      >
        <SelectField
          label={t('rules.test.kind')}
          className="w-[132px] max-mid:flex-1"
          value={kind}
          onChange={(event) =>
            change(() => setKind(TESTED_TOOLS.find((tool) => tool === event.target.value) ?? 'command'))
          }
        >
          <option value="command">{t('rules.test.command')}</option>
          {TESTED_TOOLS.map((tool) => (
            <option key={tool}>{tool}</option>
          ))}
        </SelectField>
        <TextField
          label={input}
          mono
          className="min-w-[220px] flex-1 max-mid:order-first max-mid:w-full max-mid:flex-none"
          value={text}
          placeholder={
            kind === 'command' ? 'npm test && git push' : kind === 'FetchURL' ? 'https://example.org' : '.env'
          }
          onChange={(event) => change(() => setText(event.target.value))}
        />
        <SelectField
          label={t('rules.test.mode')}
          className="w-[132px] max-mid:flex-1"
          value={mode}
          onChange={(event) => change(() => setMode(SESSION_MODES.find((one) => one === event.target.value) ?? 'ask'))}
        >
          {SESSION_MODES.map((one) => (
            <option key={one} value={one}>
              {MODE_NAMES[one]}
            </option>
          ))}
        </SelectField>
        <Button type="submit" busy={test.isPending} disabled={text.trim() === ''} className="h-[31px]">
          {t('rules.test.run')}
        </Button>
      </form>
      <div role="status" className="mt-3">
        {test.data && <Result result={test.data} userHome={place.userHome} />}
      </div>
      {test.error && <ErrorNote failure={failureFrom(test.error)} />}
    </section>
  )
}

function Result({ result, userHome }: { result: RuleTest; userHome: string | undefined }) {
  const Icon = ICONS[result.verdict]
  const { parts } = result
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-raised">
      <div className="flex gap-2.5 px-3.5 py-2.5">
        <Icon aria-hidden className="mt-0.5 size-4 flex-none" />
        <div className="min-w-0">
          <p className="font-medium">
            {t(`rules.verdict.${result.verdict}`)} · {MODE_NAMES[result.mode]}
          </p>
          <p className="text-ui wrap-anywhere text-ink-2">{result.reason}</p>
          <p className="text-small text-ink-3">{t('rules.test.decidedBy', { what: result.decidedBy })}</p>
          {result.note !== undefined && <p className="text-small text-wait-ink">{result.note}</p>}
          {parts.length === 1 && <OtherRules rules={parts[0]!.otherRules} userHome={userHome} />}
        </div>
      </div>
      {parts.length > 1 && (
        <>
          <h4 className="border-t border-line bg-panel px-3.5 py-1 text-tiny font-semibold text-ink-3">
            {t('rules.test.parts', { count: parts.length })}
          </h4>
          <ul aria-label={t('rules.test.parts', { count: parts.length })}>
            {parts.map((part, at) => (
              <Part key={at} part={part} userHome={userHome} />
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

function Part({ part, userHome }: { part: TestedPart; userHome: string | undefined }) {
  return (
    <li className="border-t border-line px-3.5 py-2">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={TONES[part.verdict]}>{t(`rules.verdict.${part.verdict}`)}</Badge>
        <code className="font-mono text-small wrap-anywhere">{part.text}</code>
      </p>
      <p className="text-ui wrap-anywhere text-ink-2">{part.reason}</p>
      <p className="text-small text-ink-3">{t('rules.test.decidedBy', { what: part.decidedBy })}</p>
      <OtherRules rules={part.otherRules} userHome={userHome} />
    </li>
  )
}

/** Rules that also match, but did not decide. */
function OtherRules({ rules, userHome }: { rules: readonly MatchedRule[]; userHome: string | undefined }) {
  return rules.map((rule, at) => {
    const where = `${shortPath(rule.file, userHome)}${rule.line === undefined ? '' : `:${rule.line}`}`
    return (
      <p key={at} className="text-small wrap-anywhere text-ink-3">
        {t('rules.test.also', { rule: `${rule.decision} ${rule.pattern} (${where})` })}
      </p>
    )
  })
}
