import { Check, ChevronDown, Search, Star } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useId, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import type { ModelView, SettingsView } from '../../../shared/configuration/settings'
import { describeAbilities, formatTokens } from '../../format/model-usage'
import { useModelChoices } from '../../state/model-choices'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ChipButton } from '../../ui/chip'
import { cx } from '../../ui/cx'
import { effortsText, modelGroups, priceText, shortPrice } from './model-groups'

interface ModelPickerProps {
  settings: SettingsView
  /** The id of the chosen model. */
  model: string | undefined
  onChoose: (id: string) => void
  /** Connects a provider, or opens the settings. */
  onConnect: () => void
  open?: boolean
  onOpenChange?: (open: boolean) => void
  side?: 'top' | 'bottom'
}

/** The pill that shows the model; opens a searchable list with context windows, prices and capabilities. */
export function ModelPicker({ settings, model, onChoose, onConnect, side = 'top', ...state }: ModelPickerProps) {
  const [own, setOwn] = useState(false)
  const open = state.open ?? own
  const setOpen = state.onOpenChange ?? setOwn
  const chosen = settings.models.find(({ id }) => id === model)
  const name = chosen?.label ?? model ?? 'Choose a model'
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <ChipButton aria-label={`Model: ${name}`} className="max-w-[220px]">
          <span className="truncate">{name}</span>
          <ChevronDown aria-hidden />
        </ChipButton>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label="Model"
          side={side}
          align="start"
          sideOffset={5}
          collisionPadding={8}
          className={cx(
            'z-50 flex max-h-[min(480px,var(--radix-popover-content-available-height))]',
            'w-[min(440px,calc(100vw-16px))] flex-col overflow-hidden',
            'rounded-lg border border-line bg-raised shadow-high outline-none',
          )}
        >
          <ModelList
            settings={settings}
            model={model}
            onChoose={(id) => {
              useModelChoices.getState().use(id)
              setOpen(false)
              if (id !== model) onChoose(id)
            }}
            onConnect={() => {
              setOpen(false)
              onConnect()
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function ModelList({
  settings,
  model,
  onChoose,
  onConnect,
}: Pick<ModelPickerProps, 'settings' | 'model' | 'onChoose' | 'onConnect'>) {
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const [query, setQuery] = useState('')
  const [at, setAt] = useState<string>()
  const favorites = useModelChoices((choices) => choices.favorites)
  const recent = useModelChoices((choices) => choices.recent)
  // The recent models are fixed when the list opens, so that no choice moves the rows under the pointer.
  const [recentBefore] = useState(recent)
  const groups = useMemo(
    () => modelGroups(settings.models, { favorites, recent: recentBefore }, query),
    [settings.models, favorites, recentBefore, query],
  )
  const shown = groups.flatMap(({ models }) => models)
  const active = shown.find(({ id }) => id === (at ?? model)) ?? shown[0]
  const optionId = (id: string): string => `${listId}-${id}`
  const move = (to: number): void => {
    const next = shown[Math.max(0, Math.min(shown.length - 1, to))]
    if (!next) return
    setAt(next.id)
    requestAnimationFrame(() => list.current?.querySelector('[data-active=true]')?.scrollIntoView({ block: 'nearest' }))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const now = active ? shown.indexOf(active) : -1
    const steps: Record<string, number> = { ArrowDown: now + 1, ArrowUp: now - 1, PageDown: now + 8, PageUp: now - 8 }
    const to = steps[event.key]
    if (to !== undefined) {
      event.preventDefault()
      move(to)
    } else if (event.key === 'Enter' && active) {
      event.preventDefault()
      onChoose(active.id)
    }
  }
  return (
    <>
      <div className="flex h-[38px] flex-none items-center gap-2 border-b border-line px-3 text-ink-3">
        <Search aria-hidden className="size-[14px] flex-none" />
        <input
          autoFocus
          role="combobox"
          aria-label="Search models"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={active && optionId(active.id)}
          placeholder="Search models"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setAt(undefined)
          }}
          onKeyDown={onKeyDown}
          className="h-full min-w-0 flex-1 bg-transparent text-ui text-ink outline-none"
        />
      </div>
      <div ref={list} id={listId} role="listbox" aria-label="Models" className="min-h-0 flex-1 overflow-y-auto p-1">
        {groups.map(({ title, models }) => (
          <div key={title} role="group" aria-label={title}>
            <div aria-hidden className="px-2 pt-1.5 pb-1 text-tiny font-semibold text-ink-3">
              {title}
            </div>
            {models.map((one) => (
              <ModelOption
                key={one.id}
                id={optionId(one.id)}
                model={one}
                isChosen={one.id === model}
                isActive={one === active}
                isFavorite={favorites.includes(one.id)}
                isDefault={one.id === settings.defaultModel}
                onPoint={() => setAt(one.id)}
                onChoose={() => onChoose(one.id)}
              />
            ))}
          </div>
        ))}
        {shown.length === 0 && <p className="px-2 py-3 text-ui text-ink-3">No matching models</p>}
      </div>
      {active && <ModelFacts model={active} settings={settings} isFavorite={favorites.includes(active.id)} />}
      <div className="flex-none border-t border-line px-2 py-1">
        <Button size="small" variant="quiet" onClick={onConnect}>
          Connect a provider…
        </Button>
      </div>
    </>
  )
}

interface ModelOptionProps {
  id: string
  model: ModelView
  isChosen: boolean
  isActive: boolean
  isFavorite: boolean
  isDefault: boolean
  onPoint: () => void
  onChoose: () => void
}

function ModelOption({ id, model, isChosen, isActive, isFavorite, isDefault, onPoint, onChoose }: ModelOptionProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field above handles the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      data-active={isActive}
      onPointerMove={onPoint}
      onClick={onChoose}
      className={cx(
        'flex min-h-[30px] cursor-default items-center gap-2 rounded-[6px] px-2 py-1 text-ui select-none',
        isActive && 'bg-sunken',
      )}
    >
      <Check aria-hidden className={cx('size-[14px] flex-none', !isChosen && 'invisible')} />
      <span className="min-w-0 flex-1 truncate">{model.label}</span>
      {isFavorite && <Star aria-label="Favorite" className="size-[12px] flex-none fill-current text-wait" />}
      {isDefault && <Badge tone="run">default</Badge>}
      {model.knownFrom === 'guess' && <Badge tone="wait">guess</Badge>}
      <span className="flex-none text-small text-ink-3 tabular-nums">
        {formatTokens(model.contextWindow)} · {shortPrice(model)}
      </span>
    </div>
  )
}

/** Details of the highlighted model. */
function ModelFacts({
  model,
  settings,
  isFavorite,
}: {
  model: ModelView
  settings: SettingsView
  isFavorite: boolean
}) {
  const efforts = effortsText(model)
  return (
    <div className="flex flex-none items-start gap-2 border-t border-line px-3 py-2 text-small text-ink-2">
      <div className="min-w-0 flex-1">
        <p className="truncate font-mono text-tiny text-ink-3">{model.id}</p>
        <p>{model.scripted ? 'A scripted demo, no AI model.' : describeAbilities(model)}</p>
        <p>{priceText(model, settings.prices)}</p>
        {efforts && <p>{efforts}</p>}
      </div>
      <Button
        size="small"
        variant="quiet"
        icon={<Star aria-hidden className={cx(isFavorite && 'fill-current')} />}
        aria-pressed={isFavorite}
        aria-label={`Favorite: ${model.label}`}
        onClick={() => useModelChoices.getState().toggleFavorite(model.id)}
      >
        Favorite
      </Button>
    </div>
  )
}
