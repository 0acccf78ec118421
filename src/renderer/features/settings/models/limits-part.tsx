import { useState, type FormEvent } from 'react'
import type { BudgetView, SettingsView } from '../../../../shared/configuration/settings'
import { formFailure } from '../../../state/form-failure'
import { useSettingsChange } from '../../../state/page/queries'
import { Button } from '../../../ui/button'
import { TextField } from '../../../ui/form/field'
import { SectionHead } from '../../../ui/form/settings-controls'
import { ErrorNote } from '../../../ui/notice'

const FIELDS: readonly { name: keyof BudgetView; label: string; unit: 'dollars' | 'tokens' }[] = [
  { name: 'session', label: 'Dollars per session', unit: 'dollars' },
  { name: 'sessionTokens', label: 'Tokens per session', unit: 'tokens' },
  { name: 'day', label: 'Dollars per day', unit: 'dollars' },
  { name: 'dayTokens', label: 'Tokens per day', unit: 'tokens' },
  { name: 'project', label: 'Dollars per project and month', unit: 'dollars' },
  { name: 'projectTokens', label: 'Tokens per project and month', unit: 'tokens' },
]

/** What may be spent before the user is asked. */
export function LimitsPart({ settings: { budget } }: { settings: SettingsView }) {
  const [typed, setTyped] = useState<Partial<Record<keyof BudgetView, string>>>({})
  const [checked, setChecked] = useState(false)
  const save = useSettingsChange((api, change: BudgetView) => api.setBudget(change))
  const textOf = (name: keyof BudgetView): string => typed[name] ?? budget[name]?.toString() ?? ''
  const problems = FIELDS.flatMap(({ name, unit }) => {
    const problem = problemOf(textOf(name), unit)
    return problem === undefined ? [] : [[name, problem] as const]
  })
  const refused = formFailure(
    save.error,
    FIELDS.map(({ name }) => name),
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setChecked(true)
    if (problems.length > 0) return
    const change = Object.fromEntries(Object.entries(typed).map(([name, text]) => [name, numberOf(text)]))
    save.mutate(change, { onSuccess: () => setTyped({}) })
  }
  return (
    <section aria-labelledby="settings-limits" className="mt-8">
      <SectionHead
        id="settings-limits"
        title="Usage limits"
        text="When a limit is reached, work pauses before the next request and asks you. Subagents count to the session that started them. Empty: no limit."
      />
      <form noValidate onSubmit={submit} aria-label="Usage limits">
        <div className="grid grid-cols-2 gap-x-4 gap-y-3.5 max-mid:grid-cols-1">
          {FIELDS.map(({ name, label }) => (
            <TextField
              key={name}
              label={label}
              inputMode="decimal"
              value={textOf(name)}
              placeholder="No limit"
              error={(checked ? problems.find(([field]) => field === name)?.[1] : undefined) ?? refused.fields[name]}
              onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
            />
          ))}
        </div>
        {refused.failure && <ErrorNote failure={refused.failure} className="mt-3" />}
        <div className="mt-3.5 flex items-center gap-3">
          <Button type="submit" disabled={Object.keys(typed).length === 0} busy={save.isPending}>
            Save limits
          </Button>
          <p className="text-small text-ink-3">Models whose price is unknown count only to limits in tokens.</p>
        </div>
      </form>
    </section>
  )
}

function numberOf(text: string): number {
  return text.trim() === '' ? 0 : Number(text.replaceAll(/[\s_,$]/g, ''))
}

function problemOf(text: string, unit: 'dollars' | 'tokens'): string | undefined {
  const value = numberOf(text)
  if (value === 0 && text.trim() === '') return undefined
  if (unit === 'dollars') return value >= 0.01 && value <= 1_000_000 ? undefined : 'Enter an amount, at least 0.01'
  return Number.isInteger(value) && value >= 1000 ? undefined : 'Enter a whole number, at least 1,000'
}
