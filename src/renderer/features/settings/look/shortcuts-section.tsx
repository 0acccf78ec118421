import { useState, useEffect, useRef, type KeyboardEvent } from 'react'
import {
  conflictsOf,
  FIXED_KEYS,
  SHORTCUT_COMMANDS,
  shortcutOf,
  type ShortcutCommand,
  type ShortcutConflict,
} from '../../../../shared/configuration/shortcuts'
import type { AppInfo } from '../../../../shared/contract/app/app'
import { t } from '../../../../shared/language/settings-messages'
import { APPLE, shortcutText, shortcutFrom, spokenShortcut } from '../../../format/shortcut'
import { useSettingsChange } from '../../../state/page/queries'
import { useShortcutChoices } from '../../../state/page/shortcuts'
import { showFailureToast, showToast } from '../../../state/page/toasts-state'
import { Button } from '../../../ui/button'
import { TextField } from '../../../ui/form/field'
import { SectionHead } from '../../../ui/form/settings-controls'
import { Kbd } from '../../../ui/tooltip'
import { focusUnlessMoved } from '../../../ui/overlay/return-focus'

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
                  onTakeFrom={async (id) => {
                    const had = choices[id]
                    await set(id, '')
                    return () => set(id, had)
                  }}
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
                <span className="sr-only">{spokenShortcut(keys)}</span>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  )
}

interface ShortcutRowProps {
  command: ShortcutCommand
  keys: string | undefined
  /** The user chose these keys. */
  isChosen: boolean
  isRecording: boolean
  /** The conflicts of these keys. */
  conflicts: (keys: string) => ShortcutConflict[]
  onRecord: (on: boolean) => void
  /** Undefined: the default keys. */
  onSet: (keys: string | undefined) => Promise<unknown>
  /** Takes the keys away from another command; resolves with a function that restores them. */
  onTakeFrom: (id: string) => Promise<() => Promise<unknown>>
}

/** A command with its keys. While recording, the next keys are assigned to it, unless they conflict. */
function ShortcutRow(props: ShortcutRowProps) {
  const { command, keys, isChosen, isRecording, conflicts, onRecord, onSet, onTakeFrom } = props
  /** Pressed keys that have a conflict. */
  const [asked, setAsked] = useState<string>()
  const change = useRef<HTMLButtonElement>(null)
  const { label } = command
  const now = keys === undefined ? [] : conflicts(keys)
  const inTheWay = asked === undefined ? [] : conflicts(asked)
  const other = inTheWay.find(({ kind }) => kind === 'command')
  const finish = (): void => {
    setAsked(undefined)
    onRecord(false)
    focusUnlessMoved(change.current, change.current?.closest('li') ?? null)
  }
  const save = async (next: string, from?: ShortcutConflict): Promise<void> => {
    let giveBack: (() => Promise<unknown>) | undefined
    try {
      giveBack = from?.id === undefined ? undefined : await onTakeFrom(from.id)
      const undo = async (): Promise<void> => {
        await onSet(isChosen ? (keys ?? '') : undefined)
        await giveBack?.()
      }
      await onSet(next)
      const shown = next === '' ? t('shortcuts.none') : shortcutText(next)
      const other = from?.label
      const text =
        other === undefined
          ? t('shortcuts.saved', { name: label, keys: shown })
          : t('shortcuts.taken', { name: label, keys: shown, other })
      showToast(text, {
        label: t('edit.undo'),
        run: () => void undo().catch(showFailureToast),
      })
      finish()
    } catch (error) {
      // If this command cannot get the keys, the other one gets them back.
      await giveBack?.().catch(showFailureToast)
      showFailureToast(error)
    }
  }
  const pressed = (next: string): void => {
    if (conflicts(next).length === 0) void save(next)
    else setAsked(next)
  }
  return (
    <li className="border-t border-line px-3.5 py-2 first:border-t-0">
      <div className="flex min-h-[27px] flex-wrap items-center gap-2">
        <span className="min-w-[150px] flex-1">{label}</span>
        {isRecording ? (
          <Recorder name={label} shown={asked} onKeys={pressed} onClear={() => void save('')} onCancel={finish} />
        ) : keys === undefined ? (
          <span className="text-ui text-ink-3">{t('shortcuts.none')}</span>
        ) : (
          <span>
            <Kbd keys={keys} always />
            <span className="sr-only">{spokenShortcut(keys)}</span>
          </span>
        )}
        {isChosen && !isRecording && (
          <Button
            size="small"
            variant="quiet"
            aria-label={t('shortcuts.reset.of', { name: label })}
            onClick={(event) => {
              const row = event.currentTarget.closest('li')
              void onSet(undefined).then(() => focusUnlessMoved(change.current, row), showFailureToast)
            }}
          >
            {t('shortcuts.reset')}
          </Button>
        )}
        <Button
          ref={change}
          size="small"
          aria-label={isRecording ? undefined : t('shortcuts.change.of', { name: label })}
          onClick={() => (isRecording ? finish() : onRecord(true))}
        >
          {isRecording ? t('edit.cancel') : t('shortcuts.change')}
        </Button>
      </div>
      {isRecording && inTheWay.length > 0 && (
        <div role="alert" className="mt-1 flex flex-wrap items-center gap-2 text-ui text-wait-ink">
          <span className="flex-1">{inTheWay.map(({ message }) => message).join(' ')}</span>
          {asked !== undefined && inTheWay.every(({ kind }) => kind !== 'fixed') && (
            <>
              {other?.id !== undefined && (
                <Button size="small" onClick={() => void save(asked, other)}>
                  {t('shortcuts.swap')}
                </Button>
              )}
              <Button size="small" variant="quiet" onClick={() => void save(asked)}>
                {t('shortcuts.keep')}
              </Button>
            </>
          )}
        </div>
      )}
      {!isRecording && now.length > 0 && (
        <p className="text-small text-wait-ink">{now.map(({ message }) => message).join(' ')}</p>
      )}
    </li>
  )
}

interface RecorderProps {
  name: string
  /** Keys that the user must confirm. */
  shown: string | undefined
  onKeys: (keys: string) => void
  onClear: () => void
  onCancel: () => void
}

/** Waits for keys. Tab leaves it, so that the keyboard is not trapped. */
function Recorder({ name, shown, onKeys, onClear, onCancel }: RecorderProps) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Tab') return
    event.preventDefault()
    event.stopPropagation()
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey
    if (event.key === 'Escape' && isPlain) return onCancel()
    if (event.key === 'Backspace' && isPlain) return onClear()
    const keys = shortcutFrom(event.nativeEvent)
    if (keys !== undefined && !event.repeat) onKeys(keys)
  }
  return (
    <input
      ref={field}
      readOnly
      aria-label={t('shortcuts.record', { name })}
      value={shown === undefined ? '' : shortcutText(shown)}
      placeholder={t('shortcuts.recording')}
      onKeyDown={onKeyDown}
      className="h-[25px] w-[130px] rounded-md border border-accent bg-raised px-2 text-ui placeholder:text-ink-3"
    />
  )
}
