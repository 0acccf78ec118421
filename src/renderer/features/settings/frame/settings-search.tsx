import { Search, X } from 'lucide-react'
import { useId, useRef, useState, type KeyboardEvent } from 'react'
import { t } from '../../../../shared/language/settings-messages'
import type { SettingsSection } from '../../../state/page/layout-state'
import { cx } from '../../../ui/cx'
import { findSettings, showSetting, type IndexedSetting } from './settings-index'

/** Finds a setting by words. Arrow keys choose among the results, Enter goes there, Escape clears. */
export function SettingsSearch({ sections }: { sections: readonly SettingsSection[] }) {
  const [query, setQuery] = useState('')
  const [current, setCurrent] = useState(0)
  const listId = useId()
  const field = useRef<HTMLInputElement>(null)
  const found = findSettings(query, sections)
  const isOpen = query.trim() !== ''
  const chosen = found[Math.min(current, found.length - 1)]
  const go = (setting: IndexedSetting): void => {
    setQuery('')
    showSetting(setting)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && query !== '') {
      event.preventDefault()
      event.stopPropagation()
      setQuery('')
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      const by = event.key === 'ArrowDown' ? 1 : -1
      setCurrent((at) => Math.max(0, Math.min(found.length - 1, at + by)))
    } else if (event.key === 'Enter' && chosen) {
      event.preventDefault()
      go(chosen)
    }
  }
  return (
    <div role="search" aria-label={t('settings.search')} className="relative">
      <div
        className={cx(
          'flex h-[30px] items-center gap-1.5 rounded-md border border-line',
          'bg-raised px-2 text-ink-3 has-[input:focus-visible]:outline-2',
          'has-[input:focus-visible]:outline-offset-1 has-[input:focus-visible]:outline-focus',
        )}
      >
        <Search aria-hidden className="size-[14px] flex-none" />
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-label={t('settings.search')}
          aria-expanded={isOpen}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={isOpen && chosen ? `${listId}-${found.indexOf(chosen)}` : undefined}
          placeholder={t('settings.search')}
          spellCheck={false}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setCurrent(0)
          }}
          onKeyDown={onKeyDown}
          className="h-full min-w-0 flex-1 bg-transparent text-ui text-ink outline-none"
        />
        {query !== '' && (
          <button
            type="button"
            aria-label={t('settings.search.clear')}
            className="rounded-sm p-0.5 hover:text-ink"
            onClick={() => {
              setQuery('')
              field.current?.focus()
            }}
          >
            <X aria-hidden className="size-[14px]" />
          </button>
        )}
      </div>
      <span role="status" className="sr-only">
        {isOpen && found.length > 0 && t('settings.search.results', { count: found.length })}
      </span>
      {isOpen && (
        <div
          className={cx(
            'absolute top-full right-0 left-0 z-30 mt-1 max-h-[340px] min-w-[260px]',
            'overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-high',
          )}
        >
          {found.length === 0 ? (
            <p role="status" className="px-2 py-1.5 text-ui text-ink-2">
              {t('settings.search.none', { query: query.trim() })}
              <span className="block text-small text-ink-3">{t('settings.search.noneHint')}</span>
            </p>
          ) : null}
          <div id={listId} role="listbox" aria-label={t('settings.search')}>
            {found.map((setting, at) => (
              <button
                key={setting.label}
                id={`${listId}-${at}`}
                type="button"
                role="option"
                tabIndex={-1}
                aria-selected={setting === chosen}
                className={cx(
                  'block w-full rounded-[6px] px-2 py-1 text-left text-ui',
                  setting === chosen && 'bg-sunken',
                )}
                onMouseEnter={() => setCurrent(at)}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => go(setting)}
              >
                {setting.label}
                <span className="block text-tiny text-ink-3">{t(`settings.section.${setting.section}`)}</span>
              </button>
            ))}
          </div>
        </div>
      )}
    </div>
  )
}
