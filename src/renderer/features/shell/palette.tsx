import { Check, ChevronRight, Search } from 'lucide-react'
import { Command as Cmdk } from 'cmdk'
import { Dialog } from 'radix-ui'
import { useState, type ReactNode } from 'react'
import { t } from '../../../shared/language/shell-messages'
import { returnFocus } from '../../ui/overlay/return-focus'
import { Kbd } from '../../ui/tooltip'
import { shortcutAria } from '../../format/shortcut'
import { cx } from '../../ui/cx'

export interface PaletteProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  commands: readonly Command[]
  /** The search text. */
  search: string
  onSearch: (search: string) => void
}

interface Page {
  title: string
  commands: readonly Command[]
}

/** The command palette: every command, found by typing. */
export function Palette({ open, onOpenChange, commands, search, onSearch }: PaletteProps) {
  const [page, setPage] = useState<Page>()
  const [searchInPage, setSearchInPage] = useState('')
  const goTo = (next: Page | undefined): void => {
    setSearchInPage('')
    setPage(next)
  }
  const change = (next: boolean): void => {
    setPage(undefined)
    onOpenChange(next)
  }
  return (
    <Dialog.Root open={open} onOpenChange={change}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          onEscapeKeyDown={(event) => {
            if (!page) return
            event.preventDefault()
            goTo(undefined)
          }}
          className={cx(
            'fixed top-[min(14vh,120px)] left-1/2 z-40 flex max-h-[min(520px,76vh)]',
            'w-[min(600px,calc(100vw-24px))] -translate-x-1/2 flex-col overflow-hidden',
            'rounded-xl border border-line bg-raised shadow-high outline-none',
          )}
        >
          <Dialog.Title className="sr-only">Command palette</Dialog.Title>
          <PaletteBody
            key={page?.title}
            commands={page?.commands ?? commands}
            page={page}
            setPage={goTo}
            search={page ? searchInPage : search}
            setSearch={page ? setSearchInPage : onSearch}
            close={() => change(false)}
          />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface PaletteBodyProps {
  commands: readonly Command[]
  page: Page | undefined
  setPage: (page: Page | undefined) => void
  search: string
  setSearch: (search: string) => void
  close: () => void
}

function PaletteBody({ commands, page, setPage, search, setSearch, close }: PaletteBodyProps) {
  const groups = groupCommands(commands, search)
  const run = (command: Command): void => {
    if (command.page) {
      setPage({ title: command.page.title, commands: command.page.commands() })
      return
    }
    close()
    command.run?.()
  }
  return (
    <Cmdk
      label="Commands"
      shouldFilter={false}
      loop
      className="flex min-h-0 flex-1 flex-col"
      onKeyDown={(event) => {
        if (page && event.key === 'Backspace' && search === '') {
          event.preventDefault()
          setPage(undefined)
        }
      }}
    >
      <div className="flex h-[46px] flex-none items-center gap-2.5 border-b border-line px-4 text-ink-3">
        <Search aria-hidden className="size-[15px] flex-none" />
        {page && <span className="flex-none rounded-sm bg-sunken px-1.5 text-small text-ink-2">{page.title}</span>}
        <Cmdk.Input
          autoFocus
          value={search}
          onValueChange={setSearch}
          placeholder={page ? t('palette.choose') : t('palette.search')}
          className="h-full min-w-0 flex-1 bg-transparent text-body text-ink outline-none"
        />
      </div>
      {/* Not in the list, which may contain only options and groups. */}
      <div role="status">
        {groups.length === 0 && <p className="px-3 py-7 text-center text-ui text-ink-3">No results</p>}
      </div>
      <Cmdk.List label="Commands" className="min-h-0 flex-1 scroll-py-2 overflow-y-auto p-1.5">
        {groups.map(({ name, items, more }) => (
          <Cmdk.Group
            key={name}
            heading={name}
            className={cx(
              '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2',
              '[&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-tiny',
              '[&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:text-ink-3',
            )}
          >
            {items.map((command) => (
              <Cmdk.Item
                key={command.id}
                value={command.id}
                onSelect={() => run(command)}
                aria-keyshortcuts={command.shortcut ? shortcutAria(command.shortcut) : undefined}
                className={cx(
                  'flex min-h-[32px] cursor-pointer items-center gap-2.5 rounded-[6px] px-2.5 text-body text-ink',
                  'data-[selected=true]:bg-sunken [&_svg]:size-[15px] [&_svg]:flex-none [&_svg]:stroke-[1.6]',
                )}
              >
                <span className="flex w-[15px] flex-none justify-center text-ink-2">{command.icon}</span>
                <span className="min-w-0 flex-1 truncate">{command.label}</span>
                {command.hint && (
                  <span className="max-w-[40%] flex-none truncate text-small text-ink-3">{command.hint}</span>
                )}
                {command.chosen && <Check aria-label="chosen" />}
                {command.page && <ChevronRight aria-hidden />}
                {command.shortcut && <Kbd keys={command.shortcut} />}
              </Cmdk.Item>
            ))}
            {more > 0 && <p className="px-2.5 py-1 text-small text-ink-3">and {more} more: type to narrow them down</p>}
          </Cmdk.Group>
        ))}
      </Cmdk.List>
    </Cmdk>
  )
}

/** Maximum number of rows; typing narrows the list. */
const MAX_PER_GROUP = 60
/** Without a query a group shows only a few commands. */
const MAX_AT_FIRST = 12

export interface CommandGroup {
  name: string
  items: Command[]
  /** Number of matches that are not shown. */
  more: number
}

/** The commands that contain every typed word, by group; labels that start with a word come first. */
export function groupCommands(commands: readonly Command[], search: string): CommandGroup[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<string, { command: Command; score: number }[]>()
  for (const command of commands) {
    const label = command.label.toLocaleLowerCase()
    const text = `${label} ${command.keywords ?? ''} ${command.hint ?? ''} ${command.group}`.toLocaleLowerCase()
    if ((words.length === 0 && command.onlySearched) || !words.every((word) => text.includes(word))) continue
    const score =
      words.filter((word) => label.startsWith(word) || label.includes(` ${word}`)).length * 2 +
      words.filter((word) => label.includes(word)).length
    const group = groups.get(command.group)
    if (group) group.push({ command, score })
    else groups.set(command.group, [{ command, score }])
  }
  const max = words.length === 0 ? MAX_AT_FIRST : MAX_PER_GROUP
  return [...groups].map(([name, found]) => {
    // The sort is stable: without a query the order is unchanged.
    const items = found.sort((a, b) => b.score - a.score).map(({ command }) => command)
    return { name, items: items.slice(0, max), more: Math.max(0, items.length - max) }
  })
}

/** A command available everywhere: shown in the palette, and bound to its shortcut. */
export interface Command {
  id: string
  /** Its group heading. */
  group: string
  label: string
  /** Additional search words. */
  keywords?: string
  /** E.g. `Mod+N`. */
  shortcut?: string
  /** Whether the shortcut works while this element has the focus; default: everywhere. */
  isFor?: (target: EventTarget | null) => boolean
  icon?: ReactNode
  /** Shown at the right end, e.g. the folder of a session. */
  hint?: string
  /** Hidden until something is typed. */
  onlySearched?: boolean
  /** Marks the current choice. */
  chosen?: boolean
  /** Runs the command; or, for `page`, shows a submenu of commands. */
  run?: () => void
  page?: { title: string; commands: () => readonly Command[] }
}
