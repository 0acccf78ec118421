import { useState } from 'react'
import { conflictsOf, FIXED_KEYS } from '../../../../shared/configuration/shortcut-conflicts'
import { SHORTCUT_COMMANDS, shortcutOf, type ShortcutCommand } from '../../../../shared/configuration/shortcuts'
import type { AppInfo } from '../../../../shared/contract/app'
import { t } from '../../../../shared/language/settings-messages'
import { APPLE, shortcutText } from '../../../format/shortcut'
import { useSettingsChange } from '../../../state/page/queries'
import { useShortcutChoices } from '../../../state/page/shortcuts'
import { showFailureToast, showToast } from '../../../state/page/toasts-state'
import { Button } from '../../../ui/button'
import { TextField } from '../../../ui/form/field'
import { SectionHead } from '../../../ui/form/settings-controls'
import { Kbd } from '../../../ui/tooltip'
import { ShortcutRow } from './shortcut-row'

/** Every command with its keys: to change, to find conflicts, and to reset. */
export function ShortcutsSection({ info }: { info: AppInfo | undefined }) {
  const save = useSettingsChange((api, change: { id?: string; keys?: string }) => api.setShortcut(change))
  const { choices, others } = useShortcutChoices()
  const [filter, setFilter] = useState('')
  const [recorded, setRecorded] = useState<string>()
  const all: ShortcutCommand[] = [...SHORTCUT_COMMANDS, ...others]
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = all.filter(({ id, label }) => {
    const keys = shortcutOf(id, choices)
    const text = `${label} ${keys === undefined ? '' : shortcutText(keys)}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const groups = [...new Set(shown.map(({ group }) => group))]
  const inBrowser = info?.host === 'web'
  const set = (id: string | undefined, keys: string | undefined): Promise<unknown> =>
    save.mutateAsync({ ...(id !== undefined && { id }), ...(keys !== undefined && { keys }) })
  const resetAll = (): void => {
    const before = { ...choices }
    const restore = async (): Promise<void> => {
      for (const [id, keys] of Object.entries(before)) await set(id, keys)
    }
    void set(undefined, undefined).then(
      () =>
        showToast(t('shortcuts.resetDone'), {
          label: t('edit.undo'),
          run: () => void restore().catch(showFailureToast),
        }),
      showFailureToast,
    )
  }
  return (
    <section aria-labelledby="settings-shortcuts">
      <SectionHead id="settings-shortcuts" title={t('shortcuts.title')} text={t('shortcuts.text')}>
        <Button disabled={Object.keys(choices).length === 0} onClick={resetAll}>
          {t('shortcuts.resetAll')}
        </Button>
      </SectionHead>
      <TextField
        label={t('shortcuts.filter')}
        hideLabel
        placeholder={t('shortcuts.filter')}
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      {shown.length === 0 && <p className="mt-3 text-ui text-ink-3">{t('shortcuts.noMatch')}</p>}
      {groups.map((group) => (
        <div key={group} className="mt-4">
          <h3 className="mb-1.5 text-small font-semibold text-ink-2">{group}</h3>
          <ul aria-label={group} className="overflow-hidden rounded-lg border border-line bg-raised">
            {shown
              .filter((command) => command.group === group)
              .map((command) => (
                <ShortcutRow
                  key={command.id}
                  command={command}
                  keys={
                    shortcutOf(command.id, choices) ?? (choices[command.id] === undefined ? command.keys : undefined)
                  }
                  isChosen={choices[command.id] !== undefined}
                  isRecording={recorded === command.id}
                  conflicts={(keys) =>
                    conflictsOf(command.id, keys, choices, { commands: all, isMac: APPLE, inBrowser })
                  }
                  onRecord={(on) => setRecorded(on ? command.id : undefined)}
                  onSet={(keys) => set(command.id, keys)}
                  onTakeFrom={(id) => set(id, '')}
                />
              ))}
          </ul>
        </div>
      ))}
      <details className="mt-6">
        <summary className="text-ui text-ink-2">{t('shortcuts.fixed')}</summary>
        <dl className="mt-2 grid grid-cols-2 gap-x-8 max-mid:grid-cols-1">
          {Object.entries(FIXED_KEYS).map(([keys, use]) => (
            <div key={keys} className="flex items-center gap-3 border-t border-line py-1">
              <dt className="flex-1 text-ui text-ink-2">{use}</dt>
              <dd>
                <Kbd keys={keys} always />
                <span className="sr-only">{keys}</span>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  )
}
